#!/usr/bin/env bash
# The steps of action.yml, one a word; what they are told comes by the environment, and is never run as code.
#   SUITE=suites/mine.yml PLUMBLINE_DATA=data SITE=false scripts/action.sh audit      # by hand, without GitHub
#   PLUMBLINE_DATA=data scripts/action.sh gate
# install  what the checkout of Plumbline needs         comment  the card, on the pull request PULL_REQUEST
# audit    SUITE, and with WATCH=true one look as well  gate     1 where a verdict fails, or a number has changed
set -euo pipefail
root="${GITHUB_ACTION_PATH:-$(cd "$(dirname "$0")/.." && pwd)}"
plumbline="${PLUMBLINE:-$root/.venv/bin/plumbline}"
data="${PLUMBLINE_DATA:-data}"
mark='<!-- plumbline -->'

tell() { printf '%s=%s\n' "$1" "$2" >> "${GITHUB_OUTPUT:-/dev/stdout}"; }
lines() { mapfile -t "$1" < <(printf '%s' "${2:-}" | sed -e 's/[[:space:]]*$//' -e '/^[[:space:]]*$/d'); }

# The card with what GitHub would turn into a mention, within the length that a comment may have.
card() {
  printf '%s\n' "$mark"
  # iconv drops a letter that was cut in two, and says so by its status.
  { head -c 50000 "$data/audit_card.md" | iconv -f utf-8 -t utf-8 -c || true; } | sed 's/@/\&#64;/g'
}

audit() {
  local options looking files responses=() changed=false site=''
  lines options "${OPTIONS:-}"
  lines looking "${WATCH_OPTIONS:-}"
  lines files "${RESPONSES:-}"
  for file in "${files[@]}"; do responses+=(--responses "$file"); done
  if [ "${WATCH:-false}" = true ] && [ "${#files[@]}" -gt 0 ]; then
    echo '::error::`watch` asks the model, and with `responses` nobody is asked: give one of the two.'
    exit 2
  fi
  [ "${SITE:-true}" = true ] && site="$root/reports/build"
  # A look comes first, so that the site shows it.
  if [ "${WATCH:-false}" = true ]; then
    "$plumbline" --data "$data" audit "$SUITE" --no-site "${options[@]}"
    status=0
    "$plumbline" --data "$data" watch "$SUITE" --once "${options[@]}" "${looking[@]}" | tee "$data/look.txt" || status=$?
    # An alarm has said so in its last line; all else is an error.
    if [ "$status" = 1 ] && tail -n 1 "$data/look.txt" | grep -qE '^Look [0-9]+ of [0-9]+: [0-9,]+ of [0-9,]+ numbers changed'; then
      changed=true
    elif [ "$status" != 0 ]; then
      exit "$status"
    fi
    if grep -qE '^All [0-9]+ looks are taken' "$data/look.txt"; then
      echo '::warning::The plan of looks has ended: nobody was asked. Run once with --restart in `watch-options`.'
    fi
  fi
  # With --site an audit fails where its site cannot be built: an older one would be published.
  if [ -n "$site" ]; then set -- --site; else set -- --no-site; fi
  "$plumbline" --data "$data" audit "$SUITE" "${responses[@]}" "${options[@]}" "$@"
  tell fingerprint "$(sed -n 's/^  "fingerprint": "\([0-9a-f]*\)",$/\1/p' "$data/audit_card.json")"
  tell failing "$("$plumbline" --data "$data" gate | grep -c '^fail ' || true)"
  tell changed "$changed"
  tell card "$data/audit_card.md"
  tell site "$site"
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then card >> "$GITHUB_STEP_SUMMARY"; fi
}

# One comment a pull request: the one that is there is written anew.
comment() {
  local body known to=(--method POST "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments")
  body="$(mktemp)"
  card > "$body"
  known="$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" \
    --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id")" || known=''
  known="${known%%$'\n'*}"
  [ -n "$known" ] && to=(--method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known")
  # A pull request of a fork has a token that may only read: the card stands in the job's summary then.
  gh api "${to[@]}" --field "body=@$body" --silent || echo '::warning::The card could not be commented: the token may not write.'
}

gate() {
  if [ "${CHANGED:-false}" = true ]; then cat "$data/look.txt"; fi
  "$plumbline" --data "$data" gate
  [ "${CHANGED:-false}" != true ]
}

case "${1:-}" in
  install) make -C "$root" setup ;;
  audit | comment | gate) step="$1" && shift && "$step" ;;
  *) echo "usage: $0 install | audit | comment | gate" >&2 && exit 2 ;;
esac
