#!/usr/bin/env bash
# What a change touches, in a minute: format, lint, types, the tests that mirror changed files, and the models that
# depend on changed ones, built with their unit tests and data tests on a small warehouse kept in .check.
#   scripts/check.sh [BASE]     changes since BASE (the commit that main and this branch share), uncommitted ones too
set -euo pipefail
cd "$(dirname "$0")/.."
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}" PLUMBLINE_DATA=.check
bin=.venv/bin
base=${1:-$(git merge-base HEAD origin/main 2> /dev/null || git rev-parse HEAD)}
mapfile -t changed < <({ git diff --name-only --diff-filter=d "$base"; git ls-files --others --exclude-standard; } | sort -u)
step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }
any() { printf '%s\n' "${changed[@]}" | grep -qE "$1"; }

echo "${#changed[@]} files changed since $(git rev-parse --short "$base")"
step 'ruff'
$bin/ruff format --check .
$bin/ruff check .

if any '^ingest/.*\.py$|^pyproject.toml$'; then
  step 'mypy'
  $bin/mypy
fi

if any '^(models|macros|seeds|tests/(data_quality|generic|fairness))/|^dbt_project.yml$'; then
  if [ ! -f .check/state/manifest.json ]; then
    step 'a small warehouse to build in (once)'
    mkdir -p .check/state
    $bin/plumbline audit suites/fair_sea.yml --roots 4 --no-site > .check/log.txt 2>&1 || { tail -n 20 .check/log.txt; exit 1; }
    kept="$(mktemp -d)"
    git worktree add --quiet --detach "$kept" "$base"
    (cd "$kept" && PLUMBLINE_DATA="$OLDPWD/.check" "$OLDPWD/$bin/dbt" --quiet parse --target-path "$OLDPWD/.check/state" --log-path "$OLDPWD/.check/logs")
    git worktree remove --force "$kept"
  fi
  step 'dbt: what changed, and what stands on it'
  # Where a file changed that no model is made of, or all is built already, nothing to do is no error.
  $bin/dbt --quiet --warn-error-options '{"error": []}' build --select 'state:modified+' --indirect-selection eager \
    --exclude tag:fairness_gate --state .check/state --target-path .check/target --log-path .check/logs
  cp .check/target/manifest.json .check/state/
  mapfile -t sql < <(printf '%s\n' "${changed[@]}" | grep -E '^(models|tests)/.*\.sql$' || true)
  if [ ${#sql[@]} -gt 0 ]; then
    step 'sqlfluff'
    $bin/python scripts/lint_sql.py "${sql[@]}"
  fi
fi

# A module's tests have its name, in the same room: ingest/suite/checks.py, tests/ingest/suite/test_checks.py.
tests=()
for file in "${changed[@]}"; do
  case $file in
    tests/site/*) ;;
    tests/test_*.py | tests/*/test_*.py) tests+=("$file") ;;
    ingest/*.py)
      mirrored="tests/${file%/*}/test_$(basename "$file")"
      if [ -f "$mirrored" ]; then tests+=("$mirrored"); elif [ -d "tests/${file%/*}" ] && [ "${file%/*}" != ingest ]; then tests+=("tests/${file%/*}"); fi ;;
  esac
done
if any '^(seeds|macros|docs)/|^ingest/(docs|metrics_page)'; then tests+=(tests/ingest/test_docs.py); fi
if any '^ingest/.*\.py$'; then tests+=("tests/test_docs_links.py::test_scripts_import_what_the_package_holds"); fi
if any '^(docs/|README|CONTRIBUTING)'; then tests+=(tests/test_docs_links.py); fi
every=tests/warehouse/test_project.py::test_every_
if any '^(models|reports/pages)/'; then tests+=("$every"{model_is_described,model_tests_its_grain,mart_and_report_has_a_contract_and_describes_its_columns,page_reads_report_tables_and_every_report_table_has_a_page}); fi
if any '^models/marts/'; then tests+=(tests/ingest/test_docs.py::test_every_number_of_a_mart_is_in_the_dictionary); fi
if [ ${#tests[@]} -gt 0 ]; then
  mapfile -t tests < <(printf '%s\n' "${tests[@]}" | sort -u)
  step "pytest: ${tests[*]}"
  $bin/python -m pytest -q -x -n 2 "${tests[@]}"
fi
if any '^(seeds|macros|models|docs|ingest)/'; then
  step 'generated pages are current'
  $bin/plumbline docs --check
fi
printf '\nWhat the change touches passed in %s s; `make test` runs every check.\n' "$SECONDS"
