#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each outside library is included in one folder only; public headers include only karst/ and the C library; every
# source begins with its licence.
set -euo pipefail
cd "$1"
failures=0
sources() { find apps bench fuzz include samples scenes src -name '*.[ch]' 2>/dev/null; }

only() { # only PATTERN PLACE...: headers matching PATTERN are included in these folders or files alone
    local pattern=$1 found
    shift
    local allowed
    allowed=$(printf '^%s(/|$)|' "$@")
    found=$(sources | xargs grep -lE "^ *# *include *<($pattern)" | grep -vE "${allowed%|}" || true)
    [[ -z $found ]] || { printf '%s: includes <%s>, which only %s may\n' "$found" "$pattern" "$*" && failures=1; }
}

only 'sqlite3\.h' src/project
only 'gdal|cpl_|ogr' src/geo # bench calls it through geo/gdal_calls.h
only 'epoxy/|GL/|EGL/' src/gl apps/view/hud.c apps/view/stage.c apps/view/glsl.c # the viewer's text, its page of one mesh
only 'assimp/' src/geo
only 'zstd\.h' src/core
only 'SDL' apps/view
only 'embree' bench
only 'meshoptimizer' bench
only 'cjson/' apps/karst bench

outside=$(grep -nE '^ *# *include' include/karst/*.h | grep -vE '"karst/[a-z]+\.h"|<(stdbool|stddef|stdint)\.h>' || true)
[[ -z $outside ]] || { printf '%s: not for a public header\n' "$outside" && failures=1; }

while read -r file; do
    [[ $(head -1 "$file") == "// SPDX-License-Identifier: MIT" ]] || { echo "$file: no licence line" && failures=1; }
done < <(sources; find tests -name '*.[ch]')

# Control: a wall that is broken is seen.
status=$failures failures=0
only 'stdbool\.h' src/project >/dev/null
((failures)) || { echo "control: <stdbool.h> outside src/project was not seen" && status=1; }
exit "$status"
