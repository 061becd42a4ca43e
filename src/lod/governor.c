// SPDX-License-Identifier: MIT
// Governor: the least threshold of error that a budget pays for.
//
// The largest error over many falling curves under one sum of costs is least where all are cut at one height: each
// drawable takes its coarsest level whose error is not over the threshold, so the sum of triangles falls as the
// threshold grows, and the optimum is the least threshold whose sum fits. (The minimax problem of resource allocation:
// T. Ibaraki, N. Katoh, "Resource Allocation Problems", 1988; for level of detail as a budget: T. Funkhouser, C.
// Sequin, "Adaptive Display Algorithm for Interactive Frame Rates During Visualization of Complex Virtual
// Environments", 1993.)
//
// It is found between two thresholds, the bits of floats as whole numbers: `over`, which does not fit, and `fits`. From
// the last frame's, passes over all drawables draw them together until few levels lie between; these are sorted, and
// the rest is a walk along them. A pass looks only between the levels of both ends, so later passes touch little.
//
// Hysteresis is part of the curve: levels coarser than the last frame's count 1 + slack times their error. So the sum
// still falls with the threshold, and at 1 + slack times the plain optimum nothing is finer than there: no more is
// lost.
#include "governor.h"

#include <float.h>
#include <math.h>

#include "lod.h"

// A drawable as passes see it.
typedef struct item {
    const karst_mrm_level *levels;
    float scale, held_scale;  // from metres to weighted pixels; times 1 + hold, for levels below `last`
    uint16_t least, most;     // levels that limits allow
    uint16_t last;            // level of the last frame; 0 for a new one
} item;

// One end of the search: a threshold [weighted px], what it costs, and everybody's level there.
typedef struct end {
    uint32_t bits;      // of the threshold
    int64_t triangles;  // of drawables
    int64_t levels;     // sum of all levels
    uint16_t *level;
} end;

// The drawable goes from `level` to the next finer one below threshold `at`.
typedef struct step {
    float at;
    int32_t drawable;
    int32_t level;
} step;

struct karst_governor {
    karst_governor_def def;
    float hold;
    kst_pace pace;
    item *items;
    step *steps;  // room for step_room(most_drawables)
    uint16_t *levels;
    uint32_t last_bits;       // threshold of the last frame
    uint32_t guess_bits;      // last that was neither 0 nor the largest
    int64_t last_triangles;   // of drawables
    bool ground_near;         // error_px was within a step of what the budget wants, so from now on it steps
    int ground_way;           // that it went last: 1 coarser, -1 finer, 0 stayed
    int64_t ground_expected;  // triangles of it
    bool ground_slides;       // it would have gone on if it might
    // of this frame
    int count;
    int64_t budget;
    const karst_governed_ground *ground;
    float ground_held;  // error_px of the last frame, 0: none
    float ground_step;  // most factor to it, 0: no limit
    bool ground_waits;  // what it asked for is not here yet
    end over, fits, spare;
    bool has_over, has_fits;
    int stride;  // passes look at every so manieth drawable: 1, or sample_stride for a guess
    int probes;
};

static const uint32_t first_bits = 0x3F800000;  // 1 px
static const uint32_t most_bits = 0x7F7FFFFF;   // the largest float
static const uint32_t first_stride = 1u << 16;  // of the search: half a hundredth

static const float late = 1.25f;  // times the error asked for: a flight's chunks come some frames late

enum { sample_stride = 17, sample_least = 1024 };  // drawables from which on a sample tells enough

static int step_room(int drawables) {
    return drawables / 32 + 64;
}

static float float_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t bits_of(float f) {  // f >= 0: rises with f
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

// ---- curves ------------------------------------------------------------------------------------------

// The threshold from which on a level is good enough.
static inline float level_at(const item *m, int level) {
    return kst_less(m->levels[level].error_m * (level < m->last ? m->held_scale : m->scale), FLT_MAX);
}

// The coarsest level in [low, high) that is good enough at the threshold, or high; found from near.
static inline int find_level(const item *m, float threshold, int low, int high, int near) {
    if (low >= high) return high;
    if (near > high - 1) near = high - 1;
    if (near < low) near = low;
    if (level_at(m, near) <= threshold) {  // it is near or coarser
        for (int stride = 1; near > low; stride *= 2) {
            int next = near - stride > low ? near - stride : low;
            if (level_at(m, next) > threshold) {
                low = next + 1;
                break;
            }
            near = next;
        }
        high = near;
    } else {
        low = near + 1;
        for (int stride = 1; low < high; stride *= 2) {
            int next = low + stride - 1 < high ? low + stride - 1 : high - 1;
            if (level_at(m, next) <= threshold) {
                high = next;
                break;
            }
            low = next + 1;
        }
    }
    while (low < high) {
        int middle = (low + high) / 2;
        if (level_at(m, middle) <= threshold)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// The error that a threshold gives the ground, were it free to leap.
static float free_px(const karst_governor *g, uint32_t bits) {
    const karst_governed_ground *a = g->ground;
    float unknown = g->ground_held > 0 ? g->ground_held : a->most_px;
    if (!a->triangles) return kst_less(kst_more(unknown, a->least_px), a->most_px);
    float px = a->weight > 0 ? float_of(bits) / a->weight : a->most_px;
    if (px * (1 + g->hold) >= g->ground_held && px <= g->ground_held * (1 + g->hold)) px = g->ground_held;
    if (g->ground_waits) px = kst_more(px, g->ground_held);
    return kst_less(kst_more(px, a->least_px), a->most_px);
}

// What it is planned with: no coarser than a step leads, so that others pay for what it still draws. On the way to
// finer it gets at once what it will take: others would only have to give it back.
static float planned_px(const karst_governor *g, uint32_t bits) {
    float px = free_px(g, bits);
    return g->ground_step > 0 ? kst_less(px, g->ground_held * g->ground_step) : px;
}

// Where it goes: a step at most, either way.
static float ground_px(const karst_governor *g, uint32_t bits) {
    float px = planned_px(g, bits);
    return g->ground_step > 0 ? kst_more(px, g->ground_held / g->ground_step) : px;
}

// Half the pixels, four times the triangles: more than most ground asks for and so the side on which repeating it, each
// frame from what was drawn, settles. It does for all ground between none and sixteen times. What is steeper, as where
// many patches halve their stride at once, is known by an error that goes to and fro: then four becomes its square.
static int64_t triangles_at(const karst_governor *g, float px) {
    if (!g->ground || !g->ground->triangles) return 0;
    double ratio = (double)g->ground->error_px / (double)px;
    for (int k = 0; k <= g->ground->steepness; ++k) ratio *= ratio;
    double n = (double)g->ground->triangles * ratio;
    return n < 1e18 ? (int64_t)ceil(n) : (int64_t)1e18;
}

static int64_t ground_triangles(const karst_governor *g, uint32_t bits) {
    return g->ground ? triangles_at(g, planned_px(g, bits)) : 0;
}

// ---- search ------------------------------------------------------------------------------------------

// Cost at a threshold between both ends. True if it fits; it becomes that end.
static bool probe(karst_governor *g, uint32_t bits) {
    float threshold = float_of(bits);
    end *at = &g->spare;
    at->bits = bits;
    at->triangles = at->levels = 0;
    const uint16_t *coarse = g->has_fits ? g->fits.level : NULL, *fine = g->has_over ? g->over.level : NULL;
    for (int i = 0; i < g->count; i += g->stride) {
        const item *m = &g->items[i];
        int low = coarse ? coarse[i] : m->least, high = fine ? fine[i] : m->most, level = high;
        if (low < high) level = find_level(m, threshold, low, high, coarse ? low : fine ? high : m->last);
        at->level[i] = (uint16_t)level;
        at->levels += level;
        at->triangles += m->levels[level].triangles;
    }
    at->triangles *= g->stride;
    g->probes += g->stride == 1;
    bool fits = at->triangles + ground_triangles(g, bits) <= g->budget;
    end *taken = fits ? &g->fits : &g->over, old = *taken;
    *taken = *at;
    *at = old;
    *(fits ? &g->has_fits : &g->has_over) = true;
    return fits;
}

// Find both ends, from the last threshold outwards. False when one of them is the answer: all at its finest fits, or
// nothing does.
static bool bracket(karst_governor *g) {
    if (!g->last_bits && probe(g, 0)) return false;
    uint32_t at = g->guess_bits, stride = first_stride;
    if (probe(g, at)) {
        do {
            if (!at) return false;
            at = at > stride ? at - stride : 0;
            stride *= 4;
        } while (probe(g, at));
        return true;
    }
    while (!g->has_fits) {
        at = most_bits - at > stride ? at + stride : most_bits;
        stride *= stride < 1u << 28 ? 4 : 1;
        if (!probe(g, at) && at == most_bits) return false;
    }
    return true;
}

// Draw the ends together until they touch or few steps lie between: where the line through both costs says, and every
// third time in the middle.
static void narrow(karst_governor *g) {
    int64_t room = step_room(g->count);
    for (int k = 1; g->fits.bits - g->over.bits > 1 && g->over.levels - g->fits.levels > room; ++k) {
        uint32_t apart = g->fits.bits - g->over.bits, go = apart / 2;
        if (k % 3 && apart < 1u << 23) {  // an octave
            double above = (double)(g->over.triangles + ground_triangles(g, g->over.bits) - g->budget);
            double below = (double)(g->budget - g->fits.triangles - ground_triangles(g, g->fits.bits));
            go = (uint32_t)(apart * (above / (above + below)));
        }
        go = go < 1 ? 1 : go > apart - 1 ? apart - 1 : go;
        probe(g, g->over.bits + go);
    }
}

// Whether the last threshold is still about right is asked of a sample; else a sample finds where to begin.
static void guess(karst_governor *g) {
    if (g->count < sample_least) return;
    g->stride = sample_stride;
    probe(g, g->guess_bits);
    const end *e = g->has_fits ? &g->fits : &g->over;
    int64_t off = e->triangles + ground_triangles(g, e->bits) - g->budget;
    if ((off < 0 ? -off : off) > g->budget / 8) {
        g->has_over = g->has_fits = false;
        if (bracket(g)) {
            narrow(g);
            g->guess_bits = g->fits.bits;
        }
    }
    g->has_over = g->has_fits = false;
    g->stride = 1;
}

// ---- the rest ----------------------------------------------------------------------------------------

static bool comes_before(const step *a, const step *b) {
    if (a->at != b->at) return a->at > b->at;
    return a->drawable != b->drawable ? a->drawable < b->drawable : a->level < b->level;
}

static void sift(step *s, int from, int count) {
    for (int child; (child = 2 * from + 1) < count; from = child) {
        if (child + 1 < count && comes_before(&s[child], &s[child + 1])) ++child;
        if (!comes_before(&s[from], &s[child])) return;
        step t = s[from];
        s[from] = s[child];
        s[child] = t;
    }
}

static void sort_steps(step *s, int count) {  // a heap: no worst case, no memory
    for (int k = count / 2 - 1; k >= 0; --k) sift(s, k, count);
    for (int k = count - 1; k > 0; --k) {
        step t = s[0];
        s[0] = s[k];
        s[k] = t;
        sift(s, 0, k);
    }
}

// All steps between the ends, largest threshold first; as many as there is room for.
static int list_steps(karst_governor *g) {
    int count = 0, room = step_room(g->count);
    for (int i = 0; i < g->count && count < room; ++i)
        for (int level = g->fits.level[i]; level < g->over.level[i] && count < room; ++level)
            g->steps[count++] = (step){level_at(&g->items[i], level), i, level};
    sort_steps(g->steps, count);
    return count;
}

static int64_t step_triangles(const karst_governor *g, const step *s) {
    const karst_mrm_level *l = g->items[s->drawable].levels;
    return (int64_t)l[s->level + 1].triangles - l[s->level].triangles;
}

// Least threshold in (low, high] at which the ground leaves room for so many triangles; high does.
static uint32_t least_ground(const karst_governor *g, int64_t triangles, uint32_t low, uint32_t high) {
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (triangles + ground_triangles(g, middle) <= g->budget)
            high = middle;
        else
            low = middle;
    }
    return high;
}

// Walk the steps down from the end that fits, all of one threshold at once, while the sum fits. Returns how many were
// taken.
static int walk(karst_governor *g, int count) {
    end *e = &g->fits;
    int taken = 0;
    while (taken < count) {
        uint32_t at = bits_of(g->steps[taken].at);
        if (e->triangles + ground_triangles(g, at) > g->budget) {
            e->bits = least_ground(g, e->triangles, at, e->bits);
            return taken;
        }
        e->bits = at;
        int next = taken;
        int64_t more = 0;
        for (; next < count && g->steps[next].at == g->steps[taken].at; ++next)
            more += step_triangles(g, &g->steps[next]);
        if (e->triangles + more + ground_triangles(g, at - 1) > g->budget) return taken;
        for (; taken < next; ++taken) e->level[g->steps[taken].drawable] = (uint16_t)(g->steps[taken].level + 1);
        e->triangles += more;
        e->bits = at - 1;
    }
    e->bits = least_ground(g, e->triangles, g->over.bits, e->bits);
    return taken;
}

// What is left of the budget goes to the worst, level by level, as far as it lasts.
static void spend(karst_governor *g, int from, int count) {
    int64_t left = g->budget - g->fits.triangles - ground_triangles(g, g->fits.bits);
    for (int k = from; k < count; ++k) {
        const step *s = &g->steps[k];
        int64_t more = step_triangles(g, s);
        if (more > left || g->fits.level[s->drawable] != s->level) continue;
        g->fits.level[s->drawable] = (uint16_t)(s->level + 1);
        g->fits.triangles += more;
        left -= more;
    }
}

static void solve(karst_governor *g) {
    guess(g);
    if (bracket(g)) {
        narrow(g);
        bool touch = g->fits.bits - g->over.bits <= 1;
        int count = list_steps(g);
        spend(g, touch ? 0 : walk(g, count), count);
    }
}

// ---- a frame -----------------------------------------------------------------------------------------

// First level with at least so many triangles, at most `high`.
static int level_of_triangles(const karst_drawable *d, int64_t triangles, int high) {
    int low = 0;
    while (low < high) {
        int middle = (low + high) / 2;
        if (d->levels[middle].triangles >= triangles)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static item item_of(const karst_drawable *d, float hold) {
    KARST_ASSERT(d->level_count >= 1 && d->level_count <= KARST_DRAWABLE_LEVELS_MAX && d->level < d->level_count);
    float scale = d->pixels_per_m * d->weight;
    KARST_ASSERT(scale >= 0 && scale <= FLT_MAX);
    int least = 0, most = d->level_count - 1;
    if (d->least_triangles) least = level_of_triangles(d, d->least_triangles, most);
    if (d->most_triangles && d->levels[most].triangles > d->most_triangles) {
        most = level_of_triangles(d, (int64_t)d->most_triangles + 1, most);
        most = most - 1 > least ? most - 1 : least;
    }
    return (item){.levels = d->levels,
                  .scale = scale,
                  .held_scale = kst_less(scale * (1 + hold), FLT_MAX),
                  .least = (uint16_t)least,
                  .most = (uint16_t)most,
                  .last = (uint16_t)(d->level > 0 ? d->level : 0)};
}

static void begin(karst_governor *g, const karst_governor_input *in, const karst_drawable *drawables, int count) {
    g->count = count;
    g->ground = in->ground;
    g->has_over = g->has_fits = false;
    g->probes = 0;
    g->ground_held = 0;
    if (in->ground) {
        KARST_ASSERT(in->ground->least_px > 0 && in->ground->least_px <= in->ground->most_px &&
                     in->ground->weight >= 0 && in->ground->triangles >= 0 && in->ground->error_px >= 0);
        KARST_ASSERT(!in->ground->triangles || in->ground->error_px > 0);
        KARST_ASSERT(in->ground->drawn_px >= 0 && in->ground->steepness >= 0 &&
                     in->ground->steepness <= KARST_GOVERNED_STEEPEST &&
                     (in->ground->most_step == 0 || in->ground->most_step > 1));
        g->ground_held = in->ground->error_px;
    }
    if (!in->ground || !in->ground->triangles) g->ground_near = g->ground_slides = false;
    g->ground_waits = in->ground && in->ground->drawn_px > late * in->ground->error_px;
    g->ground_step = g->ground_near ? in->ground->most_step : 0;
    for (int i = 0; i < count; ++i) g->items[i] = item_of(&drawables[i], g->hold);
    int64_t drawn = g->last_triangles + (in->ground ? in->ground->triangles : 0);
    g->budget = kst_pace_step(&g->pace, &g->def, in, drawn, g->ground_slides);
}

// Give the levels out and find the worst.
static void give_out(karst_governor *g, const end *e, karst_drawable *drawables, karst_governor_figures *f) {
    int64_t triangles = 0;
    for (int i = 0; i < g->count; ++i) {
        const item *m = &g->items[i];
        int level = e->level[i];
        float error = kst_less(m->levels[level].error_m * m->scale, FLT_MAX);
        if (error > f->worst_error_px) {
            f->worst_error_px = error;
            f->worst = i;
        }
        f->changed += drawables[i].level != level;
        drawables[i].level = level;
        triangles += m->levels[level].triangles;
    }
    g->last_triangles = triangles;
    f->triangles = triangles;
}

// The guess was not steep enough where an error turns back since its step did more than expected. It was too steep
// where the error goes one way, and the view is another where the same error draws other triangles. At rest none of
// that is so.
static void learn_steepness(karst_governor *g, karst_governed_ground *ground, int way, int64_t expected) {
    int last = g->ground_way;
    int64_t more = ground->triangles - g->ground_expected;
    if (way && way == -last && (last < 0 ? more > 0 : more < 0))
        ground->steepness += ground->steepness < KARST_GOVERNED_STEEPEST;
    else if (way ? way == last : !last && more)
        ground->steepness -= ground->steepness > 0;
    g->ground_way = way;
    g->ground_expected = expected;
}

// Let the ground go, and tell what it is expected to draw then.
static int64_t slide_ground(karst_governor *g, karst_governed_ground *ground, uint32_t bits) {
    float wanted = free_px(g, bits), px = ground_px(g, bits), before = ground->error_px, most = ground->most_step;
    int64_t triangles = triangles_at(g, px);
    g->ground_slides = px != wanted;
    g->ground_near |= ground->triangles && !g->ground_waits && wanted * most >= before && wanted <= before * most;
    ground->error_px = px;
    learn_steepness(g, ground, px > before ? 1 : px < before ? -1 : 0, triangles);
    return triangles;
}

void karst_governor_update(karst_governor *g, const karst_governor_input *in, karst_drawable *drawables, int count,
                           karst_governor_figures *out) {
    KARST_ASSERT(count >= 0 && count <= g->def.most_drawables && in->most_triangles >= 0);
    begin(g, in, drawables, count);
    solve(g);
    bool is_over = !g->has_fits;
    const end *e = is_over ? &g->over : &g->fits;
    karst_governor_figures f = {.budget_triangles = g->budget,
                                .error_px = float_of(e->bits),
                                .worst = KARST_WORST_NONE,
                                .median_ms = (float)g->pace.median.ms,
                                .is_over = is_over};
    give_out(g, e, drawables, &f);
    if (in->ground) {
        f.triangles += slide_ground(g, in->ground, e->bits);
        float error = in->ground->error_px * in->ground->weight;
        if (in->ground->triangles && error > f.worst_error_px) {
            f.worst_error_px = error;
            f.worst = KARST_WORST_GROUND;
        }
    }
    f.probes = g->probes;
    g->last_bits = e->bits;
    if (e->bits && e->bits < most_bits) g->guess_bits = e->bits;
    if (out) *out = f;
}

// ---- life --------------------------------------------------------------------------------------------

karst_governor_def karst_governor_def_default(void) {
    return (karst_governor_def){.most_drawables = 16384,
                                .slack = 0.04f,
                                .start_triangles = 1000000,
                                .least_triangles = 50000,
                                .latency_frames = 2,
                                .time_band = 0.1f,
                                .cookie = KST_COOKIE};
}

karst_governed_ground karst_governed_ground_default(void) {
    return (karst_governed_ground){.weight = 1, .least_px = 0.5f, .most_px = 32, .most_step = 1.05f, .error_px = 4};
}

void karst_governed_ground_tell(karst_governed_ground *ground, const karst_frame *frame) {
    ground->triangles = frame->figures.triangles;
    ground->drawn_px = frame->figures.worst_error_px;
}

void karst_governor_reset(karst_governor *g) {
    kst_pace_reset(&g->pace, &g->def);
    g->last_bits = g->guess_bits = first_bits;
    g->last_triangles = 0;
    g->ground_near = g->ground_slides = false;
    g->ground_way = 0;
    g->ground_expected = 0;
}

karst_status karst_governor_create(const karst_governor_def *def, karst_governor **out) {
    karst_governor_def d = def ? *def : karst_governor_def_default();
    KARST_ASSERT(d.cookie == KST_COOKIE && d.most_drawables >= 0 && d.most_drawables <= 1 << 22);
    KARST_ASSERT(d.slack >= 0 && d.slack <= 1 && d.time_band >= 0.02f && d.time_band <= 0.5f);
    KARST_ASSERT(d.least_triangles >= 1 && d.least_triangles <= d.start_triangles);
    KARST_ASSERT(d.latency_frames >= 1 && d.latency_frames <= KST_PACE_LATE);
    karst_governor *g = kst_alloc_zero(d.allocator, sizeof *g);
    if (!g) return KARST_ERROR_MEMORY;
    g->def = d;
    g->stride = 1;
    g->hold = sqrtf(1 + d.slack) - 1;
    size_t room = (size_t)d.most_drawables + 1;  // never of no bytes
    g->items = kst_alloc_array(d.allocator, room, sizeof *g->items);
    g->steps = kst_alloc_array(d.allocator, (size_t)step_room(d.most_drawables), sizeof *g->steps);
    g->levels = kst_alloc_array(d.allocator, 3 * room, sizeof *g->levels);
    if (!g->items || !g->steps || !g->levels) {
        karst_governor_destroy(g);
        return KARST_ERROR_MEMORY;
    }
    g->over.level = g->levels;
    g->fits.level = g->levels + room;
    g->spare.level = g->levels + 2 * room;
    karst_governor_reset(g);
    *out = g;
    return KARST_OK;
}

void karst_governor_destroy(karst_governor *g) {
    if (!g) return;
    const karst_allocator *a = g->def.allocator;
    size_t room = (size_t)g->def.most_drawables + 1;
    kst_free(a, g->items, room * sizeof *g->items);
    kst_free(a, g->steps, (size_t)step_room(g->def.most_drawables) * sizeof *g->steps);
    kst_free(a, g->levels, 3 * room * sizeof *g->levels);
    kst_free(a, g, sizeof *g);
}
