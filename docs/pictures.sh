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

"$bin/karst" import "$work/jacksboro.karst" "$dem" --spacing 83 --quiet
"$bin/karst" bake "$work/jacksboro.karst" -o "$work/jacksboro.kpack" --quiet

# picture NAME [options]: drawn, then cut down to a palette, a fifth of the size.
picture() {
    "$bin/karst" render "$work/jacksboro.kpack" -o "$work/$1.png" --size 960x540 --quiet "${@:2}"
    ffmpeg -loglevel error -nostdin -y -i "$work/$1.png" \
        -vf "split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=sierra2_4a" "$out/$1.png"
}

lake=(--eye 27667,800,23056 --look 18444,400,12911 --hour 7.9 --haze 0.8 --water 312)
picture hero --eye 22963,648,20411 --look 22540,613,19505 --hour 8.2 --haze 0.7 --water 312
picture lake "${lake[@]}"
picture ridge --eye 20750,850,10329 --look 27667,500,4611 --hour 16.8 --haze 1
picture dusk --eye 27206,420,23517 --look 18444,400,12911 --hour 18.4 --haze 1 --water 312
picture levels "${lake[@]}" --overlay level --lod-error 12
picture overlay-error "${lake[@]}" --overlay error --lod-error 4
for method in grid tess rings; do
    picture "method-$method" "${lake[@]}" --method "$method" --overlay method --wireframe --lod-error 16
done
picture wireframe "${lake[@]}" --wireframe --lod-error 10
picture contours "${lake[@]}" --contours 20
picture skirt --eye 10000,9000,-22000 --look 16000,0,16000 --hour 9 --haze 0.3 --skirt 12000 --overlay level --wireframe --lod-error 4

# The tank, plain and by its triangles.
for view in plain "wires --turn 215 --wireframe"; do
    # shellcheck disable=SC2086
    set -- $view
    "$bin/karst" model --made tank --picture "$work/tank-$1.png" --size 640x400 --quiet "${@:2}"
done
ffmpeg -loglevel error -nostdin -y -i "$work/tank-plain.png" -i "$work/tank-wires.png" \
    -filter_complex "hstack,split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=sierra2_4a" "$out/model.png"

# The fault as meshes 60 m off at most: every vertex on the ground, and refitted.
"$bin/karst" export "$work/jacksboro.karst" "$work/plain.obj" --method rqt --error 60 --no-refit --quiet
"$bin/karst" export "$work/jacksboro.karst" "$work/refit.obj" --method rqt --error 60 --quiet
python3 "$root/docs/mesh_picture.py" 960 270 "$work/plain.obj" "$work/refit.obj" >"$work/mesh.ppm"
ffmpeg -loglevel error -nostdin -y -i "$work/mesh.ppm" \
    -vf "split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=sierra2_4a" "$out/mesh.png"
