#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Renders the pictures of README and docs again: docs/pictures.sh [folder of the programs]. About a minute.
# The land is the Jacksboro fault, Tennessee (elevation data of python3-matplotlib's python-matplotlib-data), with Norris
# Lake at its level.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${1:-$root/build/bin}
dem=/usr/share/matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$root/docs/pictures
mkdir -p "$out"

"$bin/karst" import "$work/jacksboro.karst" "$dem" --spacing 90 --quiet
"$bin/karst" bake "$work/jacksboro.karst" -o "$work/jacksboro.kpack" --quiet

# picture NAME [options]: drawn, then cut down to a palette, a fifth of the size.
picture() {
    "$bin/karst" render "$work/jacksboro.kpack" -o "$work/$1.png" --size 960x540 --quiet "${@:2}"
    ffmpeg -loglevel error -nostdin -y -i "$work/$1.png" \
        -vf "split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=sierra2_4a" "$out/$1.png"
}

lake=(--eye 30000,800,25000 --look 20000,400,14000 --hour 7.9 --haze 0.8 --water 312)
picture hero --eye 27000,500,24000 --look 20000,480,12000 --hour 8.2 --haze 0.7 --water 312
picture lake "${lake[@]}"
picture ridge --eye 22500,850,11200 --look 30000,500,5000 --hour 16.8 --haze 1
picture dusk --eye 29500,420,25500 --look 20000,400,14000 --hour 18.4 --haze 1 --water 312
picture levels "${lake[@]}" --levels --lod-error 12
picture wireframe "${lake[@]}" --wireframe --lod-error 10
picture contours "${lake[@]}" --contours 20
