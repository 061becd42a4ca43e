// SPDX-License-Identifier: MIT
// Presets of erosion, measured and looked at: docs/erosion.md shows each.
#include "core/core.h"
#include "karst/erode.h"

karst_rivers_def karst_rivers_def_default(void) {
    return (karst_rivers_def){
        .years = 120000,
        .erodibility_per_yr = 2e-5f,
        .coarse_m = 40,
        .fan = 0.2f,
        .creep_m2_per_yr = 0.007f,
        .bed = 0.01f,
        .bank = 0.6f,
        .talus = 1,
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
    def.thermal.talus = 1;
    return def;
}

karst_erosion_def karst_erosion_def_preset(karst_erosion_preset preset) {
    KARST_ASSERT((unsigned)preset < KARST_EROSION_PRESET_COUNT);
    karst_erosion_def def = karst_erosion_def_default();
    switch (preset) {
        case KARST_EROSION_DESERT:
            def.rivers.years = 200000;
            def.rivers.fan = 0.5f;
            def.rivers.talus = 1;
            break;
        case KARST_EROSION_COAST:
            def.rivers.years = 250000;
            def.rivers.creep_m2_per_yr = 0.01f;
            break;
        default:
            break;
    }
    return def;
}

const char *karst_erosion_preset_name(karst_erosion_preset preset) {
    static const char *const names[KARST_EROSION_PRESET_COUNT] = {"alpine", "desert", "coast"};
    return (unsigned)preset < KARST_EROSION_PRESET_COUNT ? names[preset] : "unknown";
}
