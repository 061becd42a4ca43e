// SPDX-License-Identifier: MIT
// karst patch: the net of curved patches of a world. Its sub-commands are files of their own.
#include "patch.h"

enum {
    SAMPLE = 1,
    FIT = 2,
    CHECK = 4,
    NOISE = 8,
    TILE = 16,
    REMOVE = 32,
    WELD = 64,
    IMPORT = 128,
    SPLIT = 256,
    FOLLOW = 512,
    DABS = NOISE | TILE,
    PLACES = DABS | SPLIT
};

static const struct {
    const char *name;
    int bit, words;
    int (*run)(args *a, const char *path);
} commands[] = {
    {"sample", SAMPLE, 2, patch_sample}, {"fit", FIT, 2, patch_fit},          {"check", CHECK, 2, patch_check},
    {"noise", NOISE, 2, patch_noise},    {"tile", TILE, 2, patch_tile},       {"remove", REMOVE, 2, patch_remove},
    {"weld", WELD, 2, patch_weld},       {"import", IMPORT, 3, patch_import}, {"split", SPLIT, 2, patch_split},
    {"follow", FOLLOW, 2, patch_follow},
};
#define COMMAND_NAMES "sample, fit, import, split, follow, check, weld, noise, tile, remove"

// Which sub-commands an option goes with.
static const struct {
    const char *name;
    int commands;
} belongs[] = {
    {"--area", FIT},
    {"--tolerance", FIT},
    {"--tile-cells", FIT},
    {"--replace", FIT},
    {"--steps", FIT | IMPORT},
    {"--add", FIT | IMPORT},
    {"--distance", WELD},
    {"--to", SPLIT},
    {"--crease", IMPORT},
    {"--unit", IMPORT},
    {"--up", IMPORT},
    {"--tiles", IMPORT},
    {"--slot", SAMPLE | FIT | IMPORT | NOISE},
    {"--set", FIT | IMPORT | DABS},
    {"--group", TILE},
    {"--tint", TILE},
    {"--at", PLACES},
    {"--radius", PLACES},
    {"--dabs", PLACES},
};

static int run(args *a) {
    const char *word = a->positional[1];
    size_t k = 0, count = sizeof commands / sizeof *commands;
    while (k < count && strcmp(commands[k].name, word) != 0) ++k;
    if (k == count) return say_usage(a, "patch: %s: one of " COMMAND_NAMES, word);
    if (a->positional_count != commands[k].words)
        return say_usage(a, "patch: %s takes %s", word, commands[k].words == 2 ? "no file" : "a file");
    for (size_t i = 0; i < sizeof belongs / sizeof *belongs; ++i)
        if (arg_flag(a, belongs[i].name) && !(belongs[i].commands & commands[k].bit))
            return say_usage(a, "patch: %s is not for %s", belongs[i].name, word);
    return commands[k].run(a, a->positional[0]);
}

static const option options[] = {
    {"--area", "X0,Z0,X1,Z1", "fit: this part of the world's field [world m] (all)"},
    {"--tolerance", "M", "fit: most that patches may lie beside the field [m] (0.1)"},
    {"--tile-cells", "N", "fit: cells of the field along a tile, 1, 2, 4 or 8; patches have 2 to 16 tiles (1)"},
    {"--replace", NULL,
     "fit: the patches take the place of the field there: the part is cut to whole patches of the field (16 cells), "
     "and "
     "its border has the field's own vertices when it is baked. A tile is a cell, the tolerance at most 0.9"},
    {"--steps", "N",
     "fit, import: lattice steps in a metre, 16..4096, a power of two; 256 reach 128 m from a zone's middle (256)"},
    {"--add", NULL, "fit, import: beside the patches that are there, not in their place; weld joins them"},
    {"--crease", "DEG", "import: quads that meet at more than this fold there (0: smooth everywhere)"},
    {"--tiles", "N", "import: tiles along each side of a quad: 2, 4, 8 or 16 (8)"},
    {"--unit", "M", "import: metres in a unit of the file (1)"},
    {"--up", "y|z", "import: which axis of the file is up (y)"},
    {"--distance", "M",
     "weld: corners up to this far apart become one, edges between the same corners too, small edges along halves, "
     "quarters or eighths of a larger one are bound to it; patches that show their lower side are turned over, those "
     "that "
     "lost a side go; paint agrees where they meet [m] (0.01)"},
    {"--slot", "N",
     "displacement map, 0 flat to 15 roughest: of all tiles of fit and import (0), the roughest of sample (15), what "
     "noise sets"},
    {"--set", "NAME", "tile set: " PATCH_SET_NAMES},
    {"--group", "NAME",
     "tile: choose among the images of a group, the same everywhere: common, smooth, cracked, lichen, flowers, dry, "
     "leaves, stony, gravel, tracks, wet, shells (with --set common, else as it is)"},
    {"--tint", "RRGGBB", "tile: what the colour is multiplied by, ffffff none"},
    {"--to", "M", "split: most that sides of patches may be long there [m] (half the radius)"},
    {"--at", "X,Y,Z", "split, noise, tile: only within --radius of this place [world m] (everywhere)"},
    {"--radius", "M", "of --at [m]"},
    {"--dabs", "FILE",
     "split, noise, tile: many places, lines x,y,z,radius, all in one step; of tile a line may end with its group: "
     "x,y,z,radius,flowers"},
    {0},
};

const verb verb_patch = {
    .name = "patch",
    .usage = "WORLD sample|fit|import MESH|split|follow|check|weld|noise|tile|remove [options]",
    .summary =
        "The net of curved patches of a world: make the sample land, fit patches to the field, make them of the quads "
        "of a mesh (.obj, .glb), cut them smaller where brushes are to work, bring them back to a field that changed "
        "round them, prove and weld them, "
        "give them "
        "displacement, paint them. Each is one undoable step.",
    .example =
        "karst patch island.karst fit --area 0,0,512,512 --tolerance 0.1\n"
        "karst patch island.karst fit --area 200,200,300,300 --replace\n"
        "karst patch island.karst fit --area 500,80,560,140 --replace --add\n"
        "karst new land.karst --net sample\n"
        "karst patch land.karst import cave.obj --crease 40\n"
        "karst patch island.karst follow\n"
        "karst patch land.karst split --at 240,40,200 --radius 6\n"
        "karst patch land.karst tile --set sand --at 110,0,80 --radius 20 --tint e0d0b0\n"
        "karst patch land.karst tile --set grass --group flowers --at 330,15,60 --radius 12\n"
        "karst patch land.karst noise --slot 12 --set rock --at 240,40,200 --radius 30\n"
        "karst patch land.karst weld --distance 0.05\n"
        "karst patch land.karst check --json",
    .options = options,
    .least = 2,
    .most = 3,
    .run = run,
};
