// SPDX-License-Identifier: MIT
// The generator of multi-resolution meshes: its state and what its parts share.
//
// All geometry and topology is on vertices: places in space, joined where they are equal. A wedge is a vertex as some
// of its faces see it (texture place, normal); wedges follow. Positions are scaled so that the diagonal of the box
// is 1, about its middle; so areas and squared distances need no weights for scale.
#pragma once
#include <assert.h>
#include <float.h>
#include <math.h>

#include "core/core.h"
#include "karst/model.h"
#include "karst/mrmbuild.h"
#include "mrm/nearby.h"

enum {
    KST_STAR_FACES = 512,     // faces round a vertex that may leave
    KST_STAR_SAMPLES = 4096,  // samples that are judged at once
    KST_ATTRIBUTES = 5,       // u, v, normal, scaled to lengths
    KST_LIST_HEAD = 2,
};
#define KST_NONE UINT32_MAX

// What removed vertices leave behind: places of the source that hang on the nearest face that is left.
typedef struct kst_samples {
    uint32_t count;
    float (*place)[3];
    float (*normal)[3];  // of the source there, length = area
    float *weight;       // area
    float *off;          // squared distance to its face, attributes counted in
    uint32_t *next;      // in the list of its face
    uint8_t *border;
} kst_samples;

// One vertex leaves.
typedef struct kst_leave {
    uint32_t vertex, parent;  // parent KST_NONE: nothing is left of it
    uint32_t faces;           // that vanish with it
    float off;                // largest distance of a sample from what is left [diagonals]
    bool inside;              // a small part vanishes, and this is not yet the end of it
} kst_leave;

// A vertex that gets another place when its child leaves.
typedef struct kst_move {
    uint32_t leave;
    uint16_t code;
} kst_move;

// A vertex becomes a copy of itself, its wedges become the copy's.
enum { KST_COPY_WEDGES = 16 };
typedef struct kst_copy {
    uint32_t vertex;
    int count;
    uint32_t before[KST_COPY_WEDGES], after[KST_COPY_WEDGES];
} kst_copy;

// What is looked at together of a vertex, two to a cache line.
typedef struct kst_spot {
    float place[3];
    uint32_t list, listed;  // faces: pool[list .. + listed], after KST_LIST_HEAD: whose, room
    uint32_t mark, mark2;   // stamps
    uint8_t border, dirty;
} kst_spot;
static_assert(sizeof(kst_spot) == 32, "two to a cache line");

typedef struct kst_order {
    const karst_mrm_build_def *def;
    karst_model *source;  // joined; copies come behind its own vertices and wedges
    uint32_t vertex_count, wedge_count, face_count;
    uint32_t vertex_room, wedge_room, source_wedges;  // with room for copies; before there were any
    uint32_t *origin;                                 // of a wedge: the source's own that it is a copy of
    double middle[3], diagonal;
    float area, normal_length;  // of all faces; that a normal counts for
    bool attributes;
    kst_spot *at;        // of a vertex
    float (*normal)[3];  // of the source at a vertex, length 1 or 0
    float (*attribute)[KST_ATTRIBUTES];
    uint32_t (*face)[3], (*corner)[3];  // vertices, wedges
    uint32_t *died;                     // the leave that a face vanished in, KST_NONE: alive
    uint8_t *keep;                      // of a vertex
    uint8_t *refusals;                  // ways that turned a face over, since it was touched
    uint32_t *refused;                  // the last of them
    uint8_t *bends;                     // its way turns a face: it was stuck in a small part
    bool lenient;                       // turning over is allowed: nothing else is left
    bool bend;                          // so it is in what is judged now
    uint32_t live, live_vertices;

    uint32_t *pool;
    size_t pool_count, pool_room;

    kst_samples sample;
    uint32_t *sample_of;  // first sample of a face

    uint32_t *part, *part_live;  // of a vertex; live faces of a part

    float *key;        // cost of the best way to leave
    uint32_t *target;  // that way: a neighbour, KST_NONE, or KST_VANISH
    uint32_t *heap, *heap_at, heap_count;
    float *heap_key;  // of the vertex there

    uint32_t stamp;

    kst_leave *leave;
    uint32_t leave_count;
    uint32_t *change;  // face * 3 + corner: it gets the heir of its wedge
    size_t change_count, change_room;
    uint32_t *heir;  // the wedge that takes over from a wedge; KST_NONE: it never left
    kst_move *move;
    uint32_t move_count, move_room;
    float move_unit;      // [m]
    karst_status status;  // sticky: memory, cancelled
    bool is_least_right;

    kst_nearby *nearby;  // faces of the source

    // How it is judged.
    int keep_samples;  // a face
    int ways;          // half-edges of a vertex judged by samples
    float plane_share, uv_cap, uv_share;
    float samples_below;  // share of the faces from which samples judge, before it planes alone do
    float eager_below;    // from which neighbours are judged at once
    bool planes_only;
    struct kst_star *star;
} kst_order;

#define KST_VANISH (UINT32_MAX - 1)

// A face after a collapse, seen from the vertex that stays.
typedef struct kst_fan_face {
    float e[3], g[3], n[3];  // edges from the target, their cross product
    float inv_n, inv_e, inv_g, inv_h;
    uint32_t a, b, face, corner;  // other vertices; which face, which corner of it changes
    uint32_t wedge[3];            // target's, a's, b's
} kst_fan_face;

// The surroundings of the vertex that is judged.
typedef struct kst_star {
    uint32_t v;
    int face_count, near_count, sample_count, fan_count, shared_count, line_count;
    uint32_t face[KST_STAR_FACES], near[2 * KST_STAR_FACES + 2];
    float cross[KST_STAR_FACES][5];  // cross product, 1 / length, length
    kst_fan_face fan[KST_STAR_FACES];
    uint32_t shared[8][3];  // wedge at v, wedge at u, vertex opposite, of faces that vanish
    struct {
        uint32_t vertex;
        bool seam;
    } line[8];  // borders and seams that meet at v
    // samples of all faces and the vertex's own wedges, padded to whole vectors
    float x[3][KST_STAR_SAMPLES], weight[KST_STAR_SAMPLES], off[KST_STAR_SAMPLES];
    float attribute[KST_ATTRIBUTES][KST_STAR_SAMPLES];
    float best[KST_STAR_SAMPLES], apart[KST_STAR_SAMPLES];  // squared: all told, in space alone
    int32_t best_face[KST_STAR_SAMPLES];
    uint32_t sample[KST_STAR_SAMPLES];
} kst_star;

static inline void kst_sub(const float a[3], const float b[3], float out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}
static inline float kst_dot(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void kst_cross(const float a[3], const float b[3], float out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}
static inline float kst_square(float x) {
    return x * x;
}
static inline float kst_clamp01(float x) {
    x = x < 0 ? 0 : x;
    return x > 1 ? 1 : x;
}

// prepare.c: the model cleaned and creased, and a byte a vertex: it stays.
karst_status kst_prepare(const karst_model *model, const karst_mrm_build_def *def, const karst_progress *progress,
                         karst_report *report, karst_model **out, uint8_t **keep);

// begin.c
void kst_place_of(const kst_order *o, karst_vec3 position, float out[3]);  // in diagonals
karst_status kst_order_begin(kst_order *o, const karst_progress *progress, karst_report *report);
void kst_order_end(kst_order *o);
void kst_order_forget(kst_order *o);  // what the list is not made from

// star.c
bool kst_star_gather(kst_order *o, uint32_t v, bool samples);  // false: too many faces
void kst_star_lines(kst_order *o);
bool kst_star_legal(kst_order *o, uint32_t u);
bool kst_star_fan(kst_order *o, uint32_t u, bool fill);  // after kst_star_legal; false: only whether it may be
uint32_t kst_star_wedge(const kst_order *o, uint32_t w, uint32_t u);  // of u, that takes over from w; likewise

// cost.c
void kst_cost_prepare(kst_order *o);
double kst_cost_planes(const kst_order *o, uint32_t u);
float kst_cost_samples(kst_order *o, uint32_t u);  // leaves best, apart and best_face of each sample
float kst_cost_texture(const kst_order *o, uint32_t u);

// turned.c: whether a face of the fan towards u would look away from the source where it comes to lie. After
// kst_cost_samples.
bool kst_fan_turns(kst_order *o, uint32_t u);

// nearest.c: best, apart and best_face of all samples of the star over the fan.
void kst_nearest(const kst_order *o, kst_star *s, const float origin[3]);
float kst_segment(const float p[3], const float a[3], const float b[3]);  // squared distance

// samples.c
void kst_samples_begin(kst_order *o);
void kst_samples_hang(kst_order *o);                 // those of the star on the fan
void kst_samples_thin(kst_order *o, uint32_t face);  // keep as many as a face may have

// queue.c: the cheapest vertex first, ties by number
void kst_queue_begin(kst_order *o);
void kst_queue_changed(kst_order *o, uint32_t v);
void kst_queue_top_changed(kst_order *o);
void kst_queue_all_changed(kst_order *o);
void kst_queue_add(kst_order *o, uint32_t v);
void kst_queue_remove(kst_order *o, uint32_t v);

// parts.c: separate parts of few faces may vanish whole
enum { KST_PART_FACES = 48, KST_PART_VERTICES = 3 * KST_PART_FACES + 1 };
typedef struct kst_part {
    int faces, vertices;
    uint32_t face[KST_PART_FACES], vertex[KST_PART_VERTICES];
} kst_part;
void kst_parts_begin(kst_order *o);
float kst_part_cost(kst_order *o, uint32_t v, bool stuck, kst_part *part);  // FLT_MAX: it may not vanish
float kst_part_extent(const kst_order *o, const kst_part *part);            // squared

// fit.c: room in the model for copies; the copy of u that should stand for it, false when it is good enough.
karst_status kst_fit_room(karst_model **model, karst_report *report);
bool kst_fit(kst_order *o, uint32_t u, kst_copy *out);

// move.c
void kst_move_target(kst_order *o, uint32_t u);
karst_vec3 kst_place_now(const kst_order *o, uint32_t v);  // [m], to the bit where levels have it

// order.c: fills leave, change, move, died
karst_status kst_order_run(kst_order *o, const karst_progress *progress, karst_report *report);
