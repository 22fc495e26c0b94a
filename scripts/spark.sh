#!/usr/bin/env bash
# The extra `spark` into the environment. Nothing that is there changes its version, as `uv sync` would have it.
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
$python -c 'import sys; from importlib.util import find_spec
sys.exit(not (find_spec("pyspark") and find_spec("dbt.adapters.spark")))' && exit
mapfile -t wanted < <($python -c 'import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["spark"], sep="\n")')
.venv/bin/uv pip install --quiet --python "$python" "${wanted[@]}"
