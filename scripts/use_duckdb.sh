#!/usr/bin/env bash
# scripts/use_duckdb.sh oldest|newest|locked: put the oldest or the newest DuckDB that pyproject.toml allows into .venv.
set -euo pipefail
cd "$(dirname "$0")/.."
range=$(.venv/bin/python - <<'PY'
import tomllib
wanted = tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]
print(next(line for line in wanted if line.startswith("duckdb")))
PY
)
case ${1:-} in
  oldest) .venv/bin/uv pip install --no-config --quiet --upgrade-package duckdb --resolution lowest-direct "$range" ;;
  newest) .venv/bin/uv pip install --no-config --quiet --upgrade-package duckdb "$range" ;;
  locked) ;;
  *) echo 'usage: scripts/use_duckdb.sh oldest|newest|locked' >&2; exit 2 ;;
esac
.venv/bin/python -c 'import duckdb; print("DuckDB", duckdb.__version__)'
