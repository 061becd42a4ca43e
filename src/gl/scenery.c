// SPDX-License-Identifier: MIT
// Scenery: what the land as a whole says about how it should look. Chosen from percentiles, so that a few wild
// samples change nothing.
#include "gl/scenery.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"

// Smallest code that at least `share` of the samples do not exceed.
static int percentile(const uint32_t *count, int codes, uint64_t total, double share) {
    uint64_t wanted = (uint64_t)((double)total * share), sum = 0;
    for (int k = 0; k < codes; ++k)
        if ((sum += count[k]) > wanted) return k;
    return codes - 1;
}

static void measure_heights(kst_scenery *s, karst_pack *pack, double origin_y) {
    karst_map m;
    uint32_t *count = calloc(65536, sizeof *count);
    if (count && !karst_pack_map(pack, "height", &m) && m.sample_bytes == 2 && m.channels == 1) {
        uint64_t total = (uint64_t)m.width * (uint64_t)m.height;
        const uint16_t *code = m.samples;
        for (uint64_t k = 0; k < total; ++k) ++count[code[k]];
        float base = (float)origin_y + m.offset;
        s->low_m = base + m.scale * (float)percentile(count, 65536, total, 0.01);
        s->middle_m = base + m.scale * (float)percentile(count, 65536, total, 0.50);
        s->high_m = base + m.scale * (float)percentile(count, 65536, total, 0.995);
    }
    free(count);
}

static void measure_slopes(kst_scenery *s, karst_pack *pack, const karst_field_shape *shape) {
    karst_map m;
    if (karst_pack_map(pack, "normal", &m) || m.sample_bytes != 1 || m.channels != 2) return;
    s->map_cell_m = (float)(shape->spacing_m * (shape->columns - 1) / m.width);
    s->full_map = m.width >= shape->columns - 1;
    uint32_t count[256] = {0};  // of the sine of the slope
    uint64_t total = (uint64_t)m.width * (uint64_t)m.height;
    const uint8_t *n = m.samples;
    for (uint64_t k = 0; k < total; ++k) {
        float x = (float)(n[2 * k] - 128) / 127, z = (float)(n[2 * k + 1] - 128) / 127;
        int code = (int)(255 * sqrtf(x * x + z * z));
        ++count[code > 255 ? 255 : code];
    }
    float sine = fminf((float)percentile(count, 256, total, 0.95) / 255, 0.98f);
    s->slope = sine / sqrtf(1 - sine * sine);
}

kst_scenery kst_scenery_of(karst_pack *pack) {
    if (!pack)
        return (kst_scenery){.high_m = 1,
                             .slope = 0.5f,
                             .tree_line_m = 1e6f,
                             .snow_line_m = 1e6f,
                             .size = 1,
                             .slope_gain = 1,
                             .map_cell_m = 1};
    karst_pack_info info = karst_pack_info_of(pack);
    const karst_field_shape *shape = &info.lattice.shape;
    kst_scenery s = {.low_m = info.min_y_m, .high_m = info.max_y_m, .slope = 0.5f};
    s.middle_m = 0.5f * (s.low_m + s.high_m);
    s.map_cell_m = (float)(shape->spacing_m * (shape->columns > shape->rows ? shape->columns : shape->rows));
    measure_heights(&s, pack, shape->origin.y);
    measure_slopes(&s, pack, shape);
    float relief = fmaxf(s.high_m - s.low_m, 1);
    s.size = fminf(fmaxf(relief / 1500, 0.12f), 3);
    s.slope_gain = fminf(fmaxf(1.0f / fmaxf(s.slope, 0.01f), 0.8f), 1.8f);
    // Hills have trees to the top and no snow; mountains have both lines.
    float mountains = fminf(fmaxf((relief - 450) / 750, 0), 1);
    s.tree_line_m = s.low_m + (0.95f - 0.41f * mountains) * relief;
    s.snow_line_m = s.low_m + (1.35f - 0.62f * mountains) * relief;
    return s;
}
