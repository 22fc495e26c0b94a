#!/usr/bin/env bash
# Every check, in the order in which a mistake is cheapest to find. Prints what it ran; skips nothing silently.
# Spark has the machine to itself: it takes three times as long beside the others. Then two cores are kept busy: the
# demo and its site, and what needs sentence-transformers, go on beside pytest and are printed after it.
set -euo pipefail
cd "$(dirname "$0")/.."
unset PYTHONDONTWRITEBYTECODE  # hundreds of processes read the same modules
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
bin=.venv/bin
# Tests write 20 GB of small warehouses, and read each once: in memory where there is room for all of a run.
shm=$(df --output=avail -k /dev/shm 2> /dev/null | tail -n 1) || true
memory=$(awk '/MemAvailable/ {print $2}' /proc/meminfo)
place=()
if ((${shm:-0} > 8 << 20 && memory > 8 << 20)); then place=(-p /dev/shm); fi  # KiB
work=$(mktemp -d "${place[@]}")
mkdir "$work/tmp"
export TMPDIR="$work/tmp"
lanes=()
trap 'for lane in "${lanes[@]}"; do kill -- "-$lane" 2> /dev/null || true; done; rm -rf "$work"' EXIT

# A process group of its own, to be ended as one.
beside() {
  set -m
  "$1" > "$work/$1.txt" 2>&1 &
  lanes+=("$!")
  set +m
}

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

check_demo() {
  step 'demo: audit as on a machine without Node: the warehouse, the audit card, and how to get the site'
  PATH="$work" "$PWD/$bin/plumbline" --data "$work/demo" audit suites/fair_sea.yml 2>&1 | tee "$work/audit.txt"
  grep -q 'Install Node 20 or newer, then run `plumbline report`' "$work/audit.txt"
  test -s "$work/demo/audit_card.json" -a -s "$work/demo/audit_card.md"

  step 'README and guide: what they show is what their queries and commands give'
  $bin/python scripts/shown_outputs.py "$work/demo"

  step 'joins: none of the models compares each row with each, where a key would do'
  $bin/python scripts/nested_loops.py "$work/demo"

  step 'notebook: each cell runs on the demo'
  PLUMBLINE_DATA="$work/demo" $bin/jupyter execute docs/guide/first_look.ipynb --output "$work/first_look.ipynb"

  step 'gate: exit 1 on the planted bias'
  $bin/plumbline --data "$work/demo" gate > "$work/gate.txt" && { echo 'The gate let planted bias pass.'; exit 1; }
  tail -n 3 "$work/gate.txt"

  step 'dbt: unit tests of the models'
  # As an audit runs dbt: it need not read the project again, and half the time goes.
  $bin/python -c 'import sys; from pathlib import Path; from ingest.warehouse import run_dbt
sys.exit(not run_dbt(Path(sys.argv[1]), ["test", "--select", "test_type:unit"]))' "$work/demo"

  step 'sqlfluff: what changed since it last passed here; all of it in CI'
  PLUMBLINE_DATA="$work/demo" $bin/python scripts/lint_sql.py

  step 'site: build the demo with hostile text in all that others wrote, open every page in Chromium'
  $bin/python tests/helpers/hostile.py "$work/demo"
  $bin/plumbline --data "$work/demo" report
  $bin/plumbline --data "$work/demo" report | grep 'Nothing has changed since the site was built'
  $bin/python -m pytest -q --durations=5 tests/site
  rm -r reports/build  # a site for nobody
}

step 'ruff: format and lint'
$bin/ruff format --check .
$bin/ruff check .

step 'Spark (the extra `spark`), and Java for it; TEST_SPARK=no leaves both out'
mapfile -t of_spark < <(git ls-files dbt_project.yml profiles.yml uv.lock ingest/spark ingest/store ingest/inference ingest/warehouse \
  ingest/measuring/texts.py macros models seeds scripts/same_marts.py scripts/spark_parity.py tests/fixtures/warehouse_suite.yml tests/spark)
spark_stamp() { sha256sum "${of_spark[@]}"; }
without_spark=''
if [ "${TEST_SPARK:-}" = no ]; then
  without_spark=' WITHOUT the tests on Spark: TEST_SPARK=no.'
elif [ -z "${CI:-}" ] && spark_stamp | cmp -s - .check/spark; then
  without_spark=' The tests on Spark have passed here with these files before; CI runs them always.'
elif ! command -v java > /dev/null; then
  without_spark=' WITHOUT the tests on Spark: there is no Java, and it could not be installed (make java).'
elif ! scripts/spark.sh; then
  without_spark=' WITHOUT the tests on Spark: pyspark could not be installed.'
fi
if [ -n "$without_spark" ]; then
  echo "SKIPPED:$without_spark"
else
  step 'pytest: the same models on Spark, local[2]'
  $bin/python -m pytest -q --durations=5 tests/spark
  mkdir -p .check && spark_stamp > .check/spark
fi

beside check_demo

step 'mypy'
$bin/mypy

# Only what the tests of local models need: with sentence-transformers beside it, extract would use that for vectors.
step 'torch for the processor (the extra `models`); TEST_MODELS=no leaves it out'
without=''
if [ "${TEST_MODELS:-}" = no ] || ! scripts/models.sh > "$work/models.txt" 2>&1; then
  without=' WITHOUT the tests of classifiers and local models: torch is not installed.'
  echo "SKIPPED:$without"
  tail -n 5 "$work/models.txt" 2> /dev/null || true
fi

encoder=(ingest/scorers/encoder.py tests/ingest/scorers/test_encoder.py uv.lock)
check_encoder() {
  step 'pytest: with sentence-transformers, beside the environment'
  if [ -z "${CI:-}" ] && sha256sum "${encoder[@]}" | cmp -s - .check/encoder; then
    echo "Not run: it has passed here with these ${encoder[*]}. CI runs it always."
  elif MODELS_INTO="$work/beside" scripts/models.sh; then
    PYTHONPATH="$work/beside" $bin/python -m pytest -q tests/ingest/scorers/test_encoder.py -k run_live
    mkdir -p .check && sha256sum "${encoder[@]}" > .check/encoder
  else
    echo 'SKIPPED: WITHOUT the tests of sentence-transformers: it is not installed.' | tee "$work/without.txt"
  fi
}
test -n "$without" || beside check_encoder

# COVERAGE=1 shows what the tests do not run; it costs a fifth of their time.
covered=()
test -z "${COVERAGE:-}" || covered=(--cov --cov-report=term:skip-covered)
step 'pytest: the longest files first'
status=0
$bin/python -m pytest -q -n 2 --basetemp "$work/t" --dist loadfile --no-loadscope-reorder --durations=25 "${covered[@]}" 2>&1 | tee "$work/pytest.txt" || status=$?
test -z "${COVERAGE:-}" || sed -n '/^---------- coverage\|^_* coverage/,$p' "$work/pytest.txt" > coverage.txt
for lane in "${lanes[@]}"; do wait "$lane" || status=$?; done
lanes=()
cat "$work"/check_*.txt
if [ "$status" -ne 0 ]; then
  printf '\nThe tests, the demo, its site or the tests of sentence-transformers failed: see above.\n'
  exit 1
fi

test ! -f "$work/without.txt" || without=$(sed 's/^SKIPPED://' "$work/without.txt")
printf '\nAll checks passed in %s s.%s%s\n' "$SECONDS" "$without" "$without_spark"
