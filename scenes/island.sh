#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# island.sh KARST DEM WORLD: the island of ./dev demo. Real elevation (the Jacksboro fault of matplotlib's sample data)
# brought together and made finer, detailed by noise, sunk to a coast, worn by rivers and rain, and carved by hand.
set -euo pipefail
karst=$1 dem=$2 world=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
run() {
    local verb=$1
    shift
    "$karst" "$verb" "$world" "$@"
}

# 93 m by 74 m between samples become 12, and heights keep their measure to them, nearly.
rm -f "$world"
run import "$dem" --spacing 12 --scale 0.55 --offset -130
run resize --area -600,-600,5400,4700 --spacing 3
run filter noise --noise fbm --wavelength 400 --height 60 --warp 120 --seed 4
run sculpt --strokes "$here/island-coast.strokes"
run filter clamp --low -45
run mask land --height -8..~12
run erode --preset coast --mask land --years 120000 --wear worn --deposit silt
run sculpt --strokes "$here/island-arch.strokes"
