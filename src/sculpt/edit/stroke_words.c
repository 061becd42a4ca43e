// SPDX-License-Identifier: MIT
#include "edit/stroke_words.h"

const char *const kst_brush_kinds[] = {"raise", "lower", "smooth", "sharpen", "flatten", "pinch",
                                       "grab",  "pull",  "noise",  "restore", "stamp",   NULL};
static const char *const alongs[] = {"vertical", "view", "normal", "vertex", NULL};
static const char *const falloffs[] = {"smooth", "linear", "sharp", "flat", "custom", NULL};
static const char *const yes_no[] = {"no", "yes", NULL};
static const char *const per[] = {"dab", "second", NULL};
static const char *const towards[] = {"base", "begin", NULL};

#define OF_BRUSH(member) offsetof(karst_recording, brush) + offsetof(karst_brush_def, member)
#define REAL(name, member) \
    { name, KST_WORD_REAL, OF_BRUSH(member), 0, NULL }
const kst_word kst_brush_words[] = {
    {"name", KST_WORD_NAME, offsetof(karst_recording, name), KARST_STROKE_NAME_BYTES, NULL},
    REAL("radius", radius_m),
    REAL("strength", strength),
    {"per", KST_WORD_FLAG, OF_BRUSH(per_second), 0, per},
    {"along", KST_WORD_CHOICE, OF_BRUSH(along), 0, alongs},
    {"falloff", KST_WORD_CHOICE, OF_BRUSH(falloff), 0, falloffs},
    {"curve", KST_WORD_CURVE, OF_BRUSH(curve), 0, NULL},
    REAL("spacing", spacing),
    REAL("detail", detail_m),
    REAL("pressure-size", pressure_size),
    REAL("pressure-force", pressure_force),
    REAL("tilt-turns", tilt),
    {"mirror-x", KST_WORD_FLAG, OF_BRUSH(mirror_x), 0, yes_no},
    {"mirror-z", KST_WORD_FLAG, OF_BRUSH(mirror_z), 0, yes_no},
    {"radial", KST_WORD_COUNT, OF_BRUSH(radial), 0, NULL},
    {"middle", KST_WORD_PLACE, OF_BRUSH(middle), 0, NULL},
    REAL("vary-turn", vary_turn),
    REAL("vary-size", vary_size),
    REAL("vary-force", vary_force),
    REAL("vary-place", vary_place),
    REAL("turn", turn),
    {"follow", KST_WORD_FLAG, OF_BRUSH(follow), 0, yes_no},
    {"seed", KST_WORD_SEED, OF_BRUSH(seed), 0, NULL},
    {"stamp", KST_WORD_NAME, offsetof(karst_recording, stamp), KARST_STROKE_FILE_BYTES, NULL},
    {"axes", KST_WORD_NAME, offsetof(karst_recording, axes), sizeof((karst_recording *)0)->axes, NULL},
    {"toward", KST_WORD_FLAG, offsetof(karst_recording, toward_begin), 0, towards},
    {0},
};

const char *karst_brush_text(karst_brush_kind kind) {
    return (unsigned)kind < KARST_BRUSH_KIND_COUNT ? kst_brush_kinds[kind] : "";
}
