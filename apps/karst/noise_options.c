// SPDX-License-Identifier: MIT
// The command line: noise as verbs take it.
#include "noise_options.h"

const char *const noise_option_names[] = {"--wavelength", "--octaves", "--gain", "--lacunarity",
                                          "--warp",       "--seed",    NULL};

void noise_from_options(args *a, double spacing_m, karst_noise_def *def, bool *bad) {
    def->wavelength_m = arg_real(a, "--wavelength", def->wavelength_m, 1e-3, 1e9, bad);
    def->lacunarity = arg_real(a, "--lacunarity", def->lacunarity, 1, 8, bad);
    def->gain = arg_real(a, "--gain", def->gain, 0, 1, bad);
    def->warp_m = arg_real(a, "--warp", def->warp_m, 0, 1e9, bad);
    def->seed = (uint64_t)arg_int(a, "--seed", (int64_t)def->seed, 0, INT64_MAX, bad);
    int octaves = 1;
    double length_m = def->wavelength_m / def->lacunarity;
    for (; octaves < KARST_NOISE_MAX_OCTAVES && length_m >= 2 * spacing_m; ++octaves) length_m /= def->lacunarity;
    def->octaves = (int32_t)arg_int(a, "--octaves", octaves, 1, KARST_NOISE_MAX_OCTAVES, bad);
}

bool noise_kind_of(const char *word, karst_noise_kind *out) {
    static const char *const names[KARST_NOISE_KIND_COUNT] = {"gradient", "fbm", "billow", "ridged"};
    for (int k = 0; k < KARST_NOISE_KIND_COUNT; ++k)
        if (!strcmp(word, names[k])) {
            *out = (karst_noise_kind)k;
            return true;
        }
    return false;
}
