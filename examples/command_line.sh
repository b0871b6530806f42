#!/usr/bin/env bash
# Memory from the shell: bring it in, ask it, take it out, have it gone.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

cat > "$folder/said.jsonl" <<'LINES'
{"role": "user", "content": "I am allergic to peanuts."}
{"role": "assistant", "content": "Noted: no peanuts."}
LINES

longterm import "$folder/said.jsonl" --user ada
longterm recall ada "What must I not eat because of peanuts?"
longterm export ada -o "$folder/ada.jsonl"
grep -c '"type": *"message"' "$folder/ada.jsonl"
longterm forget ada --yes --json
