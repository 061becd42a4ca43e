#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every file that README and docs link to, and every docs page that a header names, is there.
set -euo pipefail
cd "$1"
failures=0

missing() { # missing PAGE TEXT: relative links of a page whose file is not there
    local target
    grep -oE '\]\([^)# ]+' <<<"$2" | cut -c3- | grep -vE '^[a-z]+:' | while read -r target; do
        [[ -e $(dirname "$1")/$target ]] || echo "$1: links to $target, which is not there"
    done
}

[[ -n $(missing README.md '[x](no/such/page.md)') ]] || { echo "control: a dead link was not seen" && failures=1; }
for page in README.md CHANGELOG.md docs/*.md; do
    dead=$(missing "$page" "$(<"$page")" || true)
    [[ -z $dead ]] || { echo "$dead" && failures=1; }
done
while IFS=: read -r file page; do
    [[ -e $page ]] || { echo "$file: names $page, which is not there" && failures=1; }
done < <(grep -roE 'docs/[a-z-]+\.md' include src apps bench | sort -u)
exit $failures
