// SPDX-License-Identifier: MIT
// Presets of erosion, measured and looked at: docs/erosion.md shows each.
#include "core/core.h"
#include "karst/erode.h"

karst_rivers_def karst_rivers_def_default(void) {
    return (karst_rivers_def){
        .years = 100000,
        .erodibility_per_yr = 2e-5f,
        .coarse_m = 40,
        .fan = 0.2f,
        .river_m2 = 3e6f,
        .creep_m2_per_yr = 0.007f,
        .bed = 0.01f,
        .bank = 0.6f,
        .talus = 1.2f,
        .least_fall = 0.001f,
        .cut_share = 0.5f,
        .lake_m = 10,
        .cookie = KST_COOKIE,
    };
}

karst_erosion_def karst_erosion_def_default(void) {
    karst_erosion_def def = {
        .rivers = karst_rivers_def_default(),
        .droplets = karst_droplets_def_default(),
        .thermal = karst_thermal_def_default(),
        .seed = 1,
        .cookie = KST_COOKIE,
    };
    // Weaker than alone: rain shapes the slopes, the valleys are the rivers'.
    def.droplets.drops = 0.27f;
    def.droplets.capacity = 0.5f;
    def.thermal.talus = 1.2f;
    return def;
}

karst_erosion_def karst_erosion_def_preset(karst_erosion_preset preset) {
    KARST_ASSERT((unsigned)preset < KARST_EROSION_PRESET_COUNT);
    karst_erosion_def def = karst_erosion_def_default();
    if (preset == KARST_EROSION_DESERT) {
        def.rivers.years = 160000;
        def.rivers.fan = 0.6f;
        def.rivers.creep_m2_per_yr = 0.003f;
        def.rivers.talus = def.thermal.talus = 1.6f;
        def.rivers.bed = 0.015f;
        def.droplets.drops = 0.1f;
    } else if (preset == KARST_EROSION_COAST) {
        def.rivers.years = 200000;
        def.rivers.creep_m2_per_yr = 0.04f;
        def.rivers.talus = def.thermal.talus = 0.65f;
        def.droplets.drops = 0.35f;
    }
    return def;
}

const char *karst_erosion_preset_name(karst_erosion_preset preset) {
    static const char *const names[KARST_EROSION_PRESET_COUNT] = {"alpine", "desert", "coast"};
    return (unsigned)preset < KARST_EROSION_PRESET_COUNT ? names[preset] : "unknown";
}
