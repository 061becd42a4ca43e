#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Renders the pictures of README and docs again: docs/pictures.sh [folder of the programs]. About two minutes.
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

# Noise of each kind, filters and masks, on ground that nobody surveyed.
# ground NAME [options of karst filter WORLD noise]: a world of 513 x 513 vertices, 16 m apart.
ground() {
    "$bin/karst" new "$work/$1.karst" --size 513x513 --spacing 16 --quiet
    "$bin/karst" filter "$work/$1.karst" noise --quiet "${@:2}"
}
# small NAME [options of render]: 480 x 300 of a world.
small() {
    "$bin/karst" bake "$work/$1.karst" -o "$work/$1.kpack" --quiet
    "$bin/karst" render "$work/$1.kpack" -o "$work/$1.png" --size 480x300 --quiet "${@:2}"
}
# sheet NAME COLUMNS PICTURE...: pictures of $work side by side, cut down to a palette.
sheet() {
    local name=$1 columns=$2 inputs=() n=0 picture
    for picture in "${@:3}"; do inputs+=(-i "$work/$picture.png") && n=$((n + 1)); done
    local layout="" i
    for ((i = 0; i < n; i++)); do
        local x="0" y="0" k
        for ((k = 0; k < i % columns; k++)); do x+="+w$k"; done
        for ((k = 0; k < i / columns; k++)); do y+="+h$((k * columns))"; done
        layout+="${x}_$y|"
    done
    ffmpeg -loglevel error -nostdin -y "${inputs[@]}" -filter_complex \
        "xstack=inputs=$n:layout=${layout%|},scale=1200:-1,split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=sierra2_4a" \
        "$out/$name.png"
}
above=(--eye 4100,3300,10200 --look 4100,-300,3900 --hour 8.6 --haze 0.5)
higher=(--eye 4100,3900,10200 --look 4100,200,3900 --hour 8.6 --haze 0.5)
ground gradient --noise gradient --wavelength 2000 --height 900 --seed 3
ground fbm --noise fbm --wavelength 2400 --height 1600 --seed 3
ground soft --noise fbm --wavelength 2400 --height 1300 --gain 0.35 --warp 700 --seed 3
ground billow --noise billow --wavelength 2400 --height 1500 --seed 3
ground ridged --noise ridged --wavelength 2400 --height 1100 --seed 3
ground warped --noise ridged --wavelength 2400 --height 1100 --seed 3 --warp 900
for name in gradient fbm soft; do small $name "${above[@]}"; done
for name in billow ridged warped; do small $name "${higher[@]}"; done
sheet noise 3 gradient fbm soft billow ridged warped

# filtered NAME KIND [options]: the warped ground under a filter.
filtered() {
    cp "$work/warped.karst" "$work/$1.karst"
    "$bin/karst" filter "$work/$1.karst" "${@:2}" --quiet
    small "$1" "${near[@]}"
}
near=(--eye 2300,1500,6300 --look 3300,500,4200 --hour 8.6 --haze 0.4)
filtered as_it_was clamp --low -1000
filtered terraced terrace --step 60 --wander 40 --wavelength 500
filtered blurred blur --radius 160
filtered sharpened sharpen --radius 160 --amount 0.8
filtered roughened noise --normal --noise billow --wavelength 220 --height 70
filtered remapped remap --to 0..1100 --bend 0.2
sheet filters 3 as_it_was terraced blurred sharpened roughened remapped

# mask NAME [options of karst mask]: of the warped ground, as a picture of its own.
mask() { "$bin/karst" mask "$work/warped.karst" "$1" --image "$work/mask_$1.png" --quiet "${@:2}"; }
mask slope --slope 40..90
mask high --height 500..~150
mask north --facing 0,0,-1,60
mask spurs --relief 20..~20 --radius 200
mask patches --noise fbm --wavelength 900
mask all_three --from north --height 500..~150 --noise fbm --wavelength 900 --feather 40
sheet masks 3 mask_slope mask_high mask_north mask_spurs mask_patches mask_all_three

# shot WORLD NAME [options]: the same of a world made by strokes.
shot() {
    "$bin/karst" bake "$work/$1.karst" -o "$work/$1.kpack" --quiet
    "$bin/karst" render "$work/$1.kpack" -o "$work/$2.png" --size 960x540 --quiet "${@:3}"
    palette "$work/$2.png" "$out/$2.png"
}
palette() {
    ffmpeg -loglevel error -nostdin -y -i "$1" \
        -vf "split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=sierra2_4a" "$2"
}

# The island of ./dev demo.
"$root/scenes/island.sh" "$bin/karst" "$dem" "$work/island.karst" >/dev/null
shot island hero --eye 4700,560,4500 --look 2700,20,2700 --hour 8.6 --haze 0.7 --water 0
shot island sea-arch --eye 3330,26,3800 --look 3090,66,3560 --hour 10.5 --haze 0.5 --water 0
# Tanks on its plain, and the triangles of fewer.
army=(--army made:tank --count 160 --eye 3420,11,2340 --look 3390,0,2240 --stand --hour 16.2 --haze 0.7 --water 0
    --exposure 0.3)
shot island army "${army[@]}"
shot island army-levels "${army[@]}" --army-triangles 30000 --wireframe --lod-error 40

# Three thousand of thirteen meshes, and each of them.
shot island army-dozen --army made:all --count 3000 --eye 3480,19,2440 --look 3400,0,2240 --stand --hour 16.2 --haze 0.7 \
    --water 0 --exposure 0.4 --army-triangles 200000
models=(truck jeep halftrack gun plane house tower windmill statue rock pine oak)
for name in "${models[@]}"; do
    "$bin/karst" model "made:$name" --picture "$work/made-$name.png" --size 480x300 --quiet
done
sheet models 4 "${models[@]/#/made-}"

# A cliff that leans out and a natural arch; a rock pressed many times.
"$bin/karst" new "$work/arch.karst" --size 385x385 --spacing 0.5 --quiet
"$bin/karst" sculpt "$work/arch.karst" --strokes "$root/scenes/arch.strokes" --quiet
shot arch sculpt-arch --eye 56,9,160 --look 118,13,80 --hour 11 --haze 0.2
shot arch sculpt-arch-below --eye 96,4,110 --look 136,17,90 --hour 11 --haze 0.2 --exposure 0.7
"$bin/karst" new "$work/rock.karst" --size 129x129 --spacing 0.5 --quiet
"$bin/karst" sculpt "$work/rock.karst" --strokes "$root/scenes/pedestal.strokes" --quiet
# The same rock before and after it is relaxed.
cp "$work/rock.karst" "$work/relaxed.karst"
"$bin/karst" relax "$work/relaxed.karst" --quiet
for name in rock relaxed; do
    "$bin/karst" bake "$work/$name.karst" -o "$work/$name.kpack" --no-relax --quiet
    "$bin/karst" render "$work/$name.kpack" -o "$work/$name.png" --size 800x600 --quiet \
        --eye 50,15,50 --look 32,10,32 --hour 11 --haze 0.2 --wireframe --lod-error 0.01
done
sheet relax 2 rock relaxed
"$bin/karst" export "$work/rock.karst" "$work/rock.exr" --stamp 32,32,22 --quiet
cat >"$work/hills.strokes" <<'END'
karst-strokes 1
brush noise radius=300 falloff=flat strength=5 detail=30 seed=5 spacing=100
64 64
brush noise radius=300 falloff=flat strength=1.2 detail=7 seed=6 spacing=100
64 64
END
hills() {
    "$bin/karst" new "$work/$1.karst" --size 257x257 --spacing 0.5 --quiet
    "$bin/karst" sculpt "$work/$1.karst" --strokes "$work/hills.strokes" --quiet
    "$bin/karst" sculpt "$work/$1.karst" --brush "$2" --at "$3" --quiet
}
hills pressed "stamp stamp=$work/rock.exr radius=13 vary-size=0.6 vary-turn=1 vary-place=0.6 along=normal spacing=1.5 seed=4" \
    "20 90; 60 84; 104 96"
"$bin/karst" sculpt "$work/pressed.karst" --stamp "$work/rock.exr" \
    --brush "stamp radius=13 vary-size=0.6 vary-turn=1 vary-place=0.6 along=normal spacing=1.5 seed=5" --at "20 40; 110 50" --quiet
shot pressed sculpt-stamp --eye 64,14,136 --look 64,2,62 --hour 16 --snow-line 900 --exposure 0.7

# Each brush on the same hills, nine in one picture.
brush=(raise "raise radius=16 strength=6" "40 70; 88 58"
    lower "lower radius=14 strength=4 along=normal" "40 70; 88 58"
    smooth "smooth radius=26 strength=1 detail=3 spacing=0.1" "40 70; 88 58; 40 70"
    sharpen "sharpen radius=26 strength=1 detail=6 falloff=flat" "64 64"
    flatten "flatten radius=24 strength=1 falloff=custom curve=1,1,1,0 along=normal" "44 68; 84 60"
    pinch "pinch radius=22 strength=0.25 along=normal spacing=0.1" "36 70; 92 58"
    grab "grab radius=22" "64 4 64; 50 26 76"
    pull "pull radius=13 spacing=0.04 falloff=custom curve=1,1,0.7,0" "64 4 60; 64 24 62; 76 30 66; 84 22 72"
    noise "noise radius=34 strength=6 detail=7 along=vertex" "64 64")
names=()
for ((k = 0; k < ${#brush[@]}; k += 3)); do
    hills "${brush[k]}" "${brush[k + 1]}" "${brush[k + 2]}"
    small "${brush[k]}" --eye 64,52,118 --look 64,0,62 --hour 17 --haze 0.1 --snow-line 900 --tree-line 900 --contours 1 \
        --exposure 1.3
    names+=("${brush[k]}")
done
sheet sculpt-brushes 3 "${names[@]}"

# Rain and slides, each alone, and where the rain took ground away.
"$bin/karst" new "$work/crags.karst" --size 1025x1025 --spacing 6 --quiet
"$bin/karst" filter "$work/crags.karst" noise --noise ridged --wavelength 1800 --height 800 --seed 3 --warp 500 --quiet
for name in rained slid; do cp "$work/crags.karst" "$work/$name.karst"; done
"$bin/karst" erode "$work/rained.karst" --years 0 --drops 1 --thermal 0 --wear worn --quiet
"$bin/karst" erode "$work/slid.karst" --years 0 --drops 0 --thermal 40 --quiet
for name in crags rained slid; do
    small $name --eye 1500,1000,4700 --look 2300,250,3000 --hour 8.6 --haze 0.4
done
"$bin/karst" mask "$work/rained.karst" worn --image "$work/worn_all.png" --quiet
ffmpeg -loglevel error -nostdin -y -i "$work/worn_all.png" -vf crop=480:300:300:500 "$work/worn.png"
sheet rain 2 crags rained slid worn

# Noise, and what the presets of erosion make of it.
"$bin/karst" new "$work/wild.karst" --size 1025x1025 --spacing 10 --quiet
"$bin/karst" filter "$work/wild.karst" noise --noise fbm --wavelength 3600 --height 1500 --gain 0.52 --seed 5 --quiet
for name in alpine desert coast; do
    cp "$work/wild.karst" "$work/$name.karst"
    "$bin/karst" erode "$work/$name.karst" --preset $name --quiet
done
for name in wild alpine desert coast; do
    "$bin/karst" bake "$work/$name.karst" -o "$work/$name.kpack" --quiet
    "$bin/karst" render "$work/$name.kpack" -o "$work/$name.png" --size 960x600 --quiet \
        --eye 3000,3300,11000 --look 6400,-600,4800 --hour 8.2 --haze 0.4
done
sheet erosion 2 wild alpine desert coast

# A tank at four levels.
"$bin/karst" mrm build --made tank -o "$work/tank.kmrm" --quiet
"$bin/karst" mrm export "$work/tank.kmrm" --triangles 1200,600,300,150 -o "$work/tank.glb" --quiet
for count in 1200 600 300 150; do
    "$bin/karst" model "$work/tank-$count.glb" --picture "$work/tank-$count.png" --size 480x300 --turn 40 --wireframe --quiet
done
ffmpeg -loglevel error -nostdin -y -i "$work/tank-1200.png" -i "$work/tank-600.png" -i "$work/tank-300.png" -i "$work/tank-150.png" \
    -filter_complex "[0][1]hstack[a];[2][3]hstack[b];[a][b]vstack,split[x][y];[x]palettegen=max_colors=256[p];[y][p]paletteuse=dither=sierra2_4a" \
    "$out/mrm.png"

# The page of one mesh.
"$bin/karst-view" made:jeep --triangles 700 --size 1200x600 --screenshot "$work/mrm-page.png"
palette "$work/mrm-page.png" "$out/mrm-page.png"

# A tank of 800 triangles (the level of 800 as a model of its own, ordered anew) at 800, 500 and 300.
"$bin/karst" mrm export "$work/tank.kmrm" --triangles 800 -o "$work/cut.glb" --quiet
"$bin/karst" mrm build "$work/cut.glb" -o "$work/cut.kmrm" --quiet
"$bin/karst" mrm export "$work/cut.kmrm" --triangles 800,500,300 -o "$work/cut.glb" --quiet
deck=()
for view in plain wireframe; do
    for count in 800 500 300; do
        wires=()
        if [[ $view == wireframe ]]; then wires=(--wireframe); fi
        "$bin/karst" model "$work/cut-$count.glb" --picture "$work/$view-$count.png" --size 480x300 --turn 40 \
            "${wires[@]}" --quiet
        deck+=("$view-$count")
    done
done
sheet mrm-deck 3 "${deck[@]}"

# A land of patches, its basin painted, and the same without displacement.
"$bin/karst" new "$work/patches.karst" --net sample --quiet
printf '%s\n' 110,-60,78,84 60,-30,78,46 160,-30,78,46 >"$work/dabs"
"$bin/karst" patch "$work/patches.karst" tile --set grass --dabs "$work/dabs" --quiet
"$bin/karst" patch "$work/patches.karst" tile --set sand --at 110,-40,78 --radius 58 --quiet
cp "$work/patches.karst" "$work/smooth.karst"
"$bin/karst" patch "$work/smooth.karst" noise --slot 0 --quiet
for name in patches smooth; do "$bin/karst" bake "$work/$name.karst" -o "$work/$name.kpack" --quiet; done
# patch NAME [options]: $work/patch-NAME.png; shown NAME...: these as pictures of their own.
patch() {
    "$bin/karst" render "$work/${land:-patches}.kpack" -o "$work/patch-$1.png" --size "${size:-960x540}" --quiet "${@:2}"
}
shown() { for name in "$@"; do palette "$work/patch-$name.png" "$out/patch-$name.png"; done; }
patch land --eye 40,32,30 --look 120,18,90 --hour 16 --exposure 0.3
patch arch --eye 425,26,140 --look 390,34,88 --hour 9.5 --exposure 0.4
patch tunnel --eye 283,19,205 --look 285,20,260 --hour 13 --exposure 1.2
patch cave --eye 131,18,252 --look 120,20.5,200 --hour 16.5 --exposure 1.6
shown land arch tunnel cave
# Triangles from three distances, by level.
size=480x360
for away in 25 80 240; do
    patch "wire-$away" --eye "$((392 - away / 3)),$((24 + away / 3)),$((88 - away))" --look 392,30,88 --hour 9.5 \
        --wireframe --overlay level --edge 24
done
sheet patch-wireframe 3 patch-wire-25 patch-wire-80 patch-wire-240
# With the displacement of its tiles, without, and with it but without the rule of edges.
size=640x480
near=(--eye 415,30,130 --look 377,32,88 --hour 9.5 --exposure 0.3 --fov-deg 30)
patch rough "${near[@]}"
land=smooth patch smooth "${near[@]}"
patch torn "${near[@]}" --torn
sheet patch-displacement 3 patch-smooth patch-rough patch-torn
# A cliff before strokes and after them.
cp "$work/patches.karst" "$work/carved.karst"
"$bin/karst" sculpt "$work/carved.karst" --strokes "$root/scenes/patch-cliff.strokes" --quiet
"$bin/karst" bake "$work/carved.karst" -o "$work/carved.kpack" --quiet
cliff=(--eye 262,24,412 --look 212,30,345 --hour 15 --exposure 0.3)
patch whole "${cliff[@]}"
land=carved patch carved "${cliff[@]}"
sheet patch-sculpt 2 patch-whole patch-carved
# The same small brushes on its patches as they are, and after a split.
printf '%s\n' 209,21,338,16 228,15,375,14 >"$work/dabs"
for name in coarse split; do
    cp "$work/patches.karst" "$work/$name.karst"
    if [[ $name == split ]]; then "$bin/karst" patch "$work/split.karst" split --dabs "$work/dabs" --to 4.5 --quiet; fi
    "$bin/karst" sculpt "$work/$name.karst" --strokes "$root/scenes/patch-small.strokes" --quiet
    "$bin/karst" bake "$work/$name.karst" -o "$work/$name.kpack" --quiet
    land=$name patch "small-$name" --eye 240,25,398 --look 212,20,345 --hour 15 --exposure 0.3
done
sheet patch-split 2 patch-small-coarse patch-small-split
unset size
# A cave in a hillside of heights: the net in place of 10 x 10 patches of the field, and how fine both are.
"$bin/karst" new "$work/valley.karst" --size 1025x1025 --quiet
"$bin/karst" filter "$work/valley.karst" noise --noise fbm --wavelength 460 --height 150 --gain 0.42 --seed 11 --quiet
"$bin/karst" erode "$work/valley.karst" --quiet
"$bin/karst" patch "$work/valley.karst" fit --replace --area 160,576,320,736 --tolerance 0.3 --quiet
"$bin/karst" sculpt "$work/valley.karst" --net --strokes "$root/scenes/field-cave.strokes" --quiet
printf '%s\n' 246,-34,640,15 243,-36,624,12 243,-36,660,13 228,-46,645,18 246,-36,670,11 236,-40,612,10 238,-40,678,9 >"$work/dabs"
"$bin/karst" patch "$work/valley.karst" tile --set rock --dabs "$work/dabs" --quiet
"$bin/karst" patch "$work/valley.karst" noise --set rock --slot 11 --dabs "$work/dabs" --quiet
printf '%s\n' 231,-55,645,8 238,-57,645,8 245,-59,648,7 251,-61,651,6 257,-62,655,5 262,-63,659,4 266,-64,663,4 270,-64,667,4 \
    274,-65,671,4 >"$work/dabs"
"$bin/karst" patch "$work/valley.karst" tile --set earth --dabs "$work/dabs" --quiet
shot valley patch-in-field --eye 306,-44,684 --look 228,-42,648 --snow-line 900 --hour 8.4 --exposure 0.3
shot valley patch-in-field-levels --eye 340,20,760 --look 228,-45,640 --snow-line 900 --hour 8.4 --exposure 0.3 --wireframe \
    --overlay level --lod-error 3 --edge 20

# On foot in the tunnel.
"$bin/karst-view" "$work/patches.kpack" --walk --eye 285,14,228 --look 285,13.2,260 --hour 13 --size 960x540 \
    --screenshot "$work/view-tunnel.png"
palette "$work/view-tunnel.png" "$out/view-tunnel.png"

# Tiles: the sample land with a path, a shore, worn grass and moss; dabs stand over each other, so that ground of any
# height is met.
"$bin/karst" new "$work/painted.karst" --net sample --quiet
awk 'BEGIN { srand(3); for (k = 0; k < 72; k++) { a = k * 0.0873; r = 0.92 + 0.12 * rand()
    for (y = 2; y < 20; y += 4) print (110 + 60 * r * cos(a)) "," y "," (78 + 38 * r * sin(a)) ",7" } }' >"$work/shore"
way() { # RADIUS
    awk -v radius="$1" 'BEGIN { srand(5); split("326 0 322 50 306 100 290 150 283 205", p, " ")
        for (s = 1; s < 9; s += 2) for (u = 0; u < 1; u += 0.04) {
            x = p[s] + u * (p[s + 2] - p[s]) + 3 * sin(9 * u) * sin(3.1416 * u); z = p[s + 1] + u * (p[s + 3] - p[s + 1])
            r = radius * (0.85 + 0.3 * rand()); for (y = 8; y < 22; y += 2) print x "," y "," z "," r } }'
}
spread() { # COUNT X0 X1 Z0 Z1 Y0 Y1 RADIUS
    awk -v n="$1" -v x0="$2" -v x1="$3" -v z0="$4" -v z1="$5" -v y0="$6" -v y1="$7" -v r="$8" 'BEGIN { srand(x0 + z0)
        for (k = 0; k < n; k++) { x = x0 + (x1 - x0) * rand(); y = y0 + (y1 - y0) * rand(); z = z0 + (z1 - z0) * rand()
            print x "," y "," z "," (r * (0.6 + 0.8 * rand())) } }'
}
way 5.5 >"$work/verge"
way 3.2 >"$work/way"
spread 90 0 480 0 180 8 20 5 >"$work/worn"
{ spread 90 0 480 180 205 10 20 4.5; spread 60 105 145 195 265 14 26 5; } >"$work/moss"
for dabs in earth:worn sand:shore earth:verge path:way moss:moss; do
    "$bin/karst" patch "$work/painted.karst" tile --set "${dabs%:*}" --dabs "$work/${dabs#*:}" --quiet
done
"$bin/karst" bake "$work/painted.karst" -o "$work/painted.kpack" --quiet
land=painted
patch tile-near --eye 326,17.5,40 --look 320,14,60 --hour 10
palette "$work/patch-tile-near.png" "$out/tile-near.png"
size=600x340
# Groups: a meadow beside gravel, earth with moss, the leg of an arch, the shore.
cp "$work/painted.karst" "$work/groups.karst"
"$bin/karst" patch "$work/groups.karst" noise --slot 6 --at 366,24,92 --radius 20 --quiet
"$bin/karst" patch "$work/groups.karst" tile --set earth --at 306,15,58 --radius 8 --quiet
"$bin/karst" patch "$work/groups.karst" tile --set moss --at 309,15,66 --radius 4.5 --quiet
for ball in flowers:333,15,46:7 dry:337,15,58:6 leaves:329,15,31:4 gravel:324,15,44:5 tracks:322,15,58:9 wet:323,15,51:2.5 \
    cracked:304,15,58:4.5 stony:310,15,56:3.5 leaves:306,15,52:3 flowers:309,15,66:4.5 cracked:366,16,92:6 \
    lichen:367,24,92:5 smooth:366,32,92:6 wet:110,-2,78:12 stony:124,0,84:7 shells:124,0,70:6; do
    IFS=: read -r group at radius <<<"$ball"
    "$bin/karst" patch "$work/groups.karst" tile --group "$group" --at "$at" --radius "$radius" --quiet
done
"$bin/karst" bake "$work/groups.karst" -o "$work/groups.kpack" --quiet
land=groups
patch tile-meadow --eye 329.5,17.2,37.5 --look 326,14.6,47 --hour 10
patch tile-earth --eye 314.5,17.6,62 --look 307,14.4,57 --hour 10
patch tile-leg --eye 379.5,18.5,98 --look 367,20.5,92.5 --hour 9 --exposure 0
patch tile-shore --eye 130,3.2,77 --look 122,-0.5,77 --hour 10 --exposure 0.3
sheet tile-groups 2 patch-tile-meadow patch-tile-earth patch-tile-leg patch-tile-shore
land=painted
far=(--eye 330,55,-20 --look 200,10,200 --hour 15)
patch tile-far "${far[@]}"
patch tile-bands "${far[@]}" --overlay bands
sheet tile-bands 2 patch-tile-far patch-tile-bands
unset size
# All six sets beside each other, calm.
"$bin/karst" new "$work/six.karst" --net sample --quiet
"$bin/karst" patch "$work/six.karst" noise --slot 4 --quiet
for disc in sand:242,14,60:26 path:232,14,68:15 earth:248,14,56:16 grass:252,14,46:9 rock:246,14,72:9 moss:236,14,53:7 \
    moss:254,14,62:5 path:250,14,61:2.5; do
    IFS=: read -r set at radius <<<"$disc"
    "$bin/karst" patch "$work/six.karst" tile --set "$set" --at "$at" --radius "$radius" --quiet
done
"$bin/karst" bake "$work/six.karst" -o "$work/six.kpack" --quiet
land=six
size=600x340
patch tile-above --eye 243,34,30 --look 243,13,58 --hour 10
patch tile-beside --eye 243,18,50 --look 249,12,63 --hour 10
sheet tile-transitions 2 patch-tile-above patch-tile-beside
unset size land
