// SPDX-License-Identifier: MIT
// Pace: a budget in triangles so that frames take the time they should.
//
// The time of a frame is taken as a + b * triangles with a, b >= 0. b is the slope between the last two budgets where
// they tell it, else as steep as can be (a = 0), so a first correction falls short rather than long. After a change no
// other is made until a whole window of frames drawn with it has been measured: delay cannot make it swing.
#include "governor.h"

static const double most_growth = 1.5, most_fall = 0.5;  // of the budget, a correction
static const double least_steep = 0.25, most_steep = 3;  // b in units of time / triangles
static const double telling = 0.1;                       // share that budgets differ by to tell the slope

void kst_pace_reset(kst_pace *p, const karst_governor_def *def) {
    *p = (kst_pace){.budget = def->start_triangles};
}

static float median(const float *ms) {
    float v[KST_PACE_FRAMES];
    for (int i = 0; i < KST_PACE_FRAMES; ++i) {
        int k = i;
        for (; k > 0 && v[k - 1] > ms[i]; --k) v[k] = v[k - 1];
        v[k] = ms[i];
    }
    return v[KST_PACE_FRAMES / 2];
}

static double clamp(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}

// Milliseconds a triangle.
static double slope(const kst_pace *p, double ms, double triangles) {
    double plain = ms / triangles, apart = triangles - (double)p->settled_triangles;
    if (!p->settled_triangles || (apart < 0 ? -apart : apart) < telling * triangles) return plain;
    return clamp((ms - p->settled_ms) / apart, least_steep * plain, most_steep * plain);
}

static void correct(kst_pace *p, const karst_governor_def *def, double aim_ms, int64_t spent) {
    double triangles = spent > 0 ? (double)spent : 1, ms = (double)p->median_ms;
    double wanted = triangles + (aim_ms - ms) / slope(p, ms, triangles);
    int64_t budget = (int64_t)clamp(wanted, most_fall * triangles, most_growth * triangles);
    if (budget < def->least_triangles) budget = def->least_triangles;
    if (budget == p->budget) return;
    p->settled_ms = ms;
    p->settled_triangles = spent;
    p->budget = budget;
    p->ms_count = 0;
    p->skip = def->latency_frames - 1;
}

int64_t kst_pace_step(kst_pace *p, const karst_governor_def *def, const karst_governor_input *in, int64_t spent) {
    if (!(in->target_ms > 0)) return in->most_triangles;
    if (in->frame_ms > 0 && p->skip > 0) {
        --p->skip;
    } else if (in->frame_ms > 0) {
        p->ms[p->ms_count % KST_PACE_FRAMES] = in->frame_ms;
        if (++p->ms_count == 2 * KST_PACE_FRAMES) p->ms_count = KST_PACE_FRAMES;
        if (p->ms_count >= KST_PACE_FRAMES) p->median_ms = median(p->ms);
    }
    if (p->budget > in->most_triangles) p->budget = in->most_triangles;
    if (p->ms_count >= KST_PACE_FRAMES) {
        double target = (double)in->target_ms, band = (double)def->time_band, aim = target * (1 - 0.5 * band);
        bool used = spent >= p->budget - p->budget / 8;  // else more triangles are there already, and nobody takes them
        bool slow = (double)p->median_ms > target, fast = (double)p->median_ms < target * (1 - band);
        if (slow || (fast && used && p->budget < in->most_triangles)) correct(p, def, aim, spent);
    }
    return p->budget < in->most_triangles ? p->budget : in->most_triangles;
}
