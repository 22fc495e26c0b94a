#!/usr/bin/env bash
# The extra `models` for a machine without a GPU: torch's build for the processor, and what runs on it.
# torch comes from where pip is told to look (find-links), if a build for the processor lies there; else from
# torch's own index of such builds. Never the CUDA build, which is 2 GB: for a GPU see docs/guide/scorers.md.
# MODELS_INTO=FOLDER installs sentence-transformers instead, into that folder, beside the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
pins() { $python -c 'import sys, tomllib
extra = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["models"]
print(*(pin for pin in extra if pin.startswith(tuple(sys.argv[1:]))), sep="\n")' "$@"; }
install() { .venv/bin/uv pip install --quiet --no-config --python "$python" "$@"; }
dry_run() { .venv/bin/uv pip install --no-config --python "$python" --dry-run "$@" 2>&1; }

if [ -n "${MODELS_INTO:-}" ]; then
  # Without what is in the environment already, torch above all.
  mapfile -t wanted < <(dry_run "$(pins sentence-transformers)" | sed -n 's/^ + //p')
  install --target "$MODELS_INTO" --no-deps "${wanted[@]}"
  exit
fi
$python -c 'import sys; from importlib.util import find_spec
sys.exit(not all(map(find_spec, ("torch", "transformers", "sentencepiece"))))' && exit

mapfile -t wanted < <(pins torch transformers sentencepiece)
links=${UV_FIND_LINKS:-${PIP_FIND_LINKS:-$($python -m pip config get global.find-links 2> /dev/null || true)}}
export UV_FIND_LINKS=${links// /,}
has_torch() { $python -c 'import sys; from importlib.util import find_spec; sys.exit(not find_spec("torch"))'; }
if has_torch || { [ -n "$links" ] && dry_run "${wanted[0]}" | grep -q '+cpu$'; }; then
  install "${wanted[@]}"
else
  install --torch-backend cpu "${wanted[@]}"
fi
