#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every public header compiles alone as C17 and as C++17 without a warning.
set -euo pipefail
source=$1 failures=0
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only)

alone() { # alone FOLDER HEADER
    printf '#include "%s"\n' "$2" | ${CC:-cc} -std=c17 "${warnings[@]}" -I "$1" -x c - &&
        printf '#include "%s"\n' "$2" | ${CXX:-c++} -std=c++17 "${warnings[@]}" -I "$1" -x c++ -
}

bad=$(mktemp -d)
trap 'rm -rf "$bad"' EXIT
echo 'static inline size_t half(size_t n) { return n / 2; }' >"$bad/c.h"           # wants <stddef.h>
echo 'static inline int *cast(void *p) { return p; }' >"$bad/cxx.h"                # no C++
for control in c cxx; do
    if alone "$bad" $control.h 2>/dev/null; then
        echo "control: $control.h should not have compiled" && failures=1
    fi
done
for header in "$source"/include/karst/*.h; do
    alone "$source/include" "karst/${header##*/}" || { echo "karst/${header##*/}: does not compile alone" && failures=1; }
done
exit $failures
