// SPDX-License-Identifier: MIT
// Pace: a budget in triangles so that frames take the time they should.
//
// The time of a frame is taken as a + b * triangles with a, b >= 0. b is the slope between now and the last change
// where that tells it, else as steep as can be (a = 0), so a first correction falls short rather than long. After a
// change no other is made until a whole window of frames drawn with it has been measured: delay cannot make it swing.
// Corrections begin outside of the band and go on to the inner half of it, so that noise does not begin the next.
#include "governor.h"

static const double most_growth = 2, most_fall = 0.5;    // of the budget, a correction
static const double least_steep = 0.25, most_steep = 3;  // b in units of time / triangles
static const double telling = 0.1;                       // share that two frames differ by to tell the slope
static const double worth = 0.01;                        // share of the budget; smaller corrections are none

void kst_pace_reset(kst_pace *p, const karst_governor_def *def) {
    *p = (kst_pace){.budget = def->start_triangles};
}

static kst_cost median(const kst_cost *cost) {
    kst_cost v[KST_PACE_FRAMES];
    for (int i = 0; i < KST_PACE_FRAMES; ++i) {
        int k = i;
        for (; k > 0 && v[k - 1].ms > cost[i].ms; --k) v[k] = v[k - 1];
        v[k] = cost[i];
    }
    return v[KST_PACE_FRAMES / 2];
}

static double clamp(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}

static double size_of(double v) {
    return v < 0 ? -v : v;
}

// Milliseconds a triangle.
static double slope(const kst_pace *p, double ms, double triangles) {
    double plain = ms / triangles, apart = triangles - (double)p->before.triangles;
    if (!p->before.triangles || size_of(apart) < telling * triangles) return plain;
    return clamp((ms - p->before.ms) / apart, least_steep * plain, most_steep * plain);
}

static void correct(kst_pace *p, const karst_governor_def *def, double aim_ms) {
    double drawn = p->median.triangles > 0 ? (double)p->median.triangles : 1, budget = (double)p->budget;
    double wanted = drawn + (aim_ms - p->median.ms) / slope(p, p->median.ms, drawn);
    wanted = clamp(wanted, most_fall * (drawn < budget ? drawn : budget), most_growth * budget);
    wanted = wanted > (double)def->least_triangles ? wanted : (double)def->least_triangles;
    if (size_of(wanted - budget) < worth * budget) return;
    p->budget = (int64_t)wanted;
    p->before = p->median;
    p->cost_count = 0;
    p->skip = def->latency_frames - 1;
}

// A time is told: of the frame `latency_frames` ago.
static void measure(kst_pace *p, const karst_governor_def *def, float frame_ms) {
    if (p->skip > 0) {
        --p->skip;
        return;
    }
    p->cost[p->cost_count % KST_PACE_FRAMES] = (kst_cost){(double)frame_ms, p->drawn[def->latency_frames - 1]};
    if (++p->cost_count == 2 * KST_PACE_FRAMES) p->cost_count = KST_PACE_FRAMES;
    if (p->cost_count >= KST_PACE_FRAMES) p->median = median(p->cost);
}

int64_t kst_pace_step(kst_pace *p, const karst_governor_def *def, const karst_governor_input *in, int64_t drawn,
                      bool sliding) {
    memmove(p->drawn + 1, p->drawn, sizeof p->drawn - sizeof *p->drawn);
    p->drawn[0] = drawn;
    if (!(in->target_ms > 0)) return in->most_triangles;
    if (sliding) {
        p->cost_count = 0;
        p->skip = def->latency_frames - 1;
    }
    if (in->frame_ms > 0) measure(p, def, in->frame_ms);
    if (p->budget > in->most_triangles) p->budget = in->most_triangles;
    if (p->cost_count >= KST_PACE_FRAMES) {
        double target = (double)in->target_ms, reach = 0.5 * (double)def->time_band, aim = target * (1 - reach);
        double off = (p->median.ms - aim) / target;
        // Where not all of the budget was drawn, nobody would take more.
        bool used = p->median.triangles >= p->budget - p->budget / 8 && p->budget < in->most_triangles;
        p->settling = size_of(off) > (p->settling ? 0.5 : 1) * reach && (off > 0 || used);
        if (p->settling) correct(p, def, aim);
    }
    return p->budget < in->most_triangles ? p->budget : in->most_triangles;
}
