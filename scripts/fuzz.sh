#!/usr/bin/env bash
# Odd suites, files and replies, and failures at any write, for MINUTES (60): each round tries other ones.
# What fails is printed with the smallest input that does; put it among the test's @example lines, and mend the cause.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${MINUTES:-60}
export PLUMBLINE_FUZZ_EXAMPLES="${PLUMBLINE_FUZZ_EXAMPLES:-500}"
export PLUMBLINE_CRASHES="${PLUMBLINE_CRASHES:-12}"
round=0
until [ "$SECONDS" -ge $((minutes * 60)) ]; do
  round=$((round + 1))
  printf '\n== round %s, at %s of %s minutes\n' "$round" $((SECONDS / 60)) "$minutes"
  .venv/bin/python -m pytest -q -x tests/fuzz
  [ $((round % 4)) -ne 1 ] || .venv/bin/python -m pytest -q -x tests/crash
done
printf '\nNothing was found in %s rounds and %s minutes.\n' "$round" $((SECONDS / 60))
