#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every public function is documented right above its declaration and named in a test.
set -euo pipefail
source=$1 failures=0

# Lines "file:line name documented" for each KARST_API function.
functions() {
    awk '
        FNR == 1 { above = "" }
        /^KARST_API/ {
            text = $0; line = FNR; documented = above ~ /^\/\/\//
            while (text !~ /;/ && (getline more) > 0) text = text " " more
            if (match(text, /[A-Za-z0-9_]+\(/))
                print FILENAME ":" line, substr(text, RSTART, RLENGTH - 1), documented
        }
        { above = $0 }' "$@"
}

# Control: the check sees what is missing, and only that.
control=$(functions <(printf '%s\n' '/// Says what it does.' 'KARST_API int karst_told(int a,' '    int b);' \
    'KARST_API void karst_untold(void);'))
[[ $(sed 's/^[^ ]* //' <<<"$control") == $'karst_told 1\nkarst_untold 0' ]] || { echo "control: $control" && exit 1; }

words=$(find "$source/tests" -name '*.[ch]' -exec cat {} + | grep -o 'karst_[a-z0-9_]*' | sort -u)
grep -qx karst_status_text <<<"$words" || { echo "control: no test names karst_status_text" && exit 1; }
count=0
while read -r place name documented; do
    count=$((count + 1))
    place=${place#"$source"/}
    ((documented)) || { echo "$place: $name has no comment" && failures=1; }
    grep -qx "$name" <<<"$words" || { echo "$place: $name is named in no test" && failures=1; }
done < <(functions "$source"/include/karst/*.h)
echo "$count public functions"
((count > 50)) || failures=1
exit $failures
