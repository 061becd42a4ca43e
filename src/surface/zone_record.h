// SPDX-License-Identifier: MIT
// What a zone is made from. `data` is what a file holds; edges, joints and patches follow from it.
#pragma once
#include "core/core.h"
#include "karst/chunk.h"
#include "karst/zone.h"
#include "surface/bezier.h"

typedef struct kst_corner_data {
    int16_t at[3];  // [steps] from the bias
    int16_t facing[2];
    uint8_t radius;  // [1/4 m]
    int8_t noise;
    bool pinned;     // it ends a seam, of this zone or of another
    int32_t pin[3];  // [fine steps] from the bias
} kst_corner_data;

typedef struct kst_edge_data {
    uint16_t corner[2];
    int16_t handle[2][3];
    uint8_t noise;
    uint8_t spans_log2;
    uint8_t tiles;
    uint8_t size[2];
    uint8_t open;
    bool crease;
    uint8_t seam;         // as of karst_net_edge, and pinned; 0: none
    int32_t column, row;  // of a seam
    uint32_t inside;      // first of (1 << spans_log2) - 1 entries of kst_zone_data.inside; follows from the others
    uint32_t pin;         // of a seam: first of tiles + 1 entries of kst_zone_data.pins, likewise
} kst_edge_data;

typedef struct kst_patch_data {
    struct {
        uint16_t edge;
        uint8_t from, to;
    } side[4];
    int16_t inner[4][3];
    uint8_t tiles_log2[2];
    uint8_t noise_set, noise_turn, size;
    uint8_t slot[KARST_NET_TILES_MAX * KARST_NET_TILES_MAX];
    uint8_t group[KARST_NET_TILES_MAX * KARST_NET_TILES_MAX];
    uint8_t set[KARST_TILE_CORNERS];
    uint16_t tint[KARST_TILE_CORNERS];
} kst_patch_data;

typedef struct kst_zone_data {
    int32_t zone_x, zone_z, step_log2;
    int32_t bias[3];  // [steps] from the net's origin
    uint8_t reach;
    uint32_t corner_count, edge_count, patch_count, inside_count, pin_count;
    kst_corner_data *corners;
    kst_edge_data *edges;
    kst_patch_data *patches;
    uint16_t *inside;
    int32_t (*pins)[3];  // [fine steps] from the bias, those of its ends too
} kst_zone_data;

// A curve that vertices lie on: a stored edge, or the line between two pieces of one patch.
typedef struct kst_curve_at {
    karst_vec3 c[4];       // from the anchor [steps]
    karst_vec3 normal[2];  // at its ends
    float height[2];       // of its ends [m]
    karst_vec3 off[2];     // from its ends to their pins, where they have any [steps]
    karst_fine anchor;     // from the bias
    uint8_t noise, tiles;
    bool crease;
    const int32_t (*pins)[3];  // of a seam: where its tile corners lie [fine steps from the bias]; else NULL
} kst_curve_at;

typedef struct kst_patch_at {
    karst_vec3 c[16];   // from the anchor [steps]
    karst_fine anchor;  // from the bias
} kst_patch_at;

typedef struct kst_zone_record {
    kst_zone_data data;
    const karst_noise_bank *bank;
    const karst_allocator *allocator;
    kst_curve_at *curves;  // data.edge_count edges, then lines
    uint32_t curve_count, curve_room;
    kst_patch_at *patches;
    float steps_per_m;
    bool torn;  // edges have no rule
} kst_zone_record;

// Control points of a side from those of its edge: from > to runs against it. Parts are rounded to whole steps, which
// only the inside of a patch sees.
void kst_side_points(const int32_t edge[4][3], int from, int to, int32_t out[4][3]);
// The lattice point nearest to eighth 1..7 of an edge.
void kst_edge_eighth(const int32_t edge[4][3], int eighth, int32_t out[3]);
// Control points of an edge [steps from the bias].
void kst_edge_points(const kst_zone_data *data, const kst_edge_data *edge, int32_t out[4][3]);
// The 16 control points of a patch, 4 j + i, from its sides and inner points.
void kst_patch_points(const int32_t side[4][4][3], const int32_t inner[4][3], int32_t out[16][3]);

// net_finish.c: half the diameter of the hull of the largest piece of a patch, with displacement [1/4 m], which a
// corner has room for up to 255; *size: class of its tiles.
double kst_patch_radius(const karst_vec3 c[16], const uint8_t tiles_log2[2], int step_log2, uint8_t *size);

// Octahedral unit vectors.
void kst_facing_pack(karst_vec3 normal, int16_t out[2]);
karst_vec3 kst_facing_unpack(const int16_t in[2]);

// Displacement [m] of map `noise` (slot + 16 set) at (x, y) [samples].
static inline float kst_bank_height(const karst_noise_bank *bank, int noise, float x, float y) {
    if ((noise & 15) == 0) return 0;
    int i = kst_floor(x), j = kst_floor(y);
    float u = x - (float)i, v = y - (float)j;
    const int8_t(*m)[32] = bank->map[noise >> 4][noise & 15];
    float a = m[j & 31][i & 31], b = m[j & 31][(i + 1) & 31], c = m[(j + 1) & 31][i & 31],
          d = m[(j + 1) & 31][(i + 1) & 31];
    return ((a + (b - a) * u) * (1 - v) + (c + (d - c) * u) * v) * (1 / 127.0f);
}

// seam.c: vertex k of a seam, k of 0..tiles.
void kst_seam_vertex(int seam, int32_t column, int32_t row, int k, int32_t out[2]);
// Whether an edge with these may be a seam; if not, what is wrong and the remedy.
typedef struct kst_seam_rule {
    int seam, tiles, open, noise;
    int32_t column, row;
} kst_seam_rule;
enum { KST_SEAM_TEXT = 200, KST_SEAM_CELLS = KARST_PATCH_CELLS };  // the second: along a patch of the field
bool kst_seam_is_good(const kst_seam_rule *rule, char what[KST_SEAM_TEXT]);
// How far pin k of an edge of so many tiles lies from its curve [m]; all from one origin, in steps and fine steps.
// A metre is the most.
double kst_pin_off_m(const int32_t edge[4][3], int k, int tiles, const int32_t pin[3], int step_log2);

// zone_place.c: places on a curve, t in [0, 1] dyadic; normal and height are of the curve and its ends alone. A seam
// has places at its tile corners alone.
karst_vec3 kst_curve_normal(const kst_curve_at *curve, float t);
float kst_curve_height(const kst_zone_record *record, const kst_curve_at *curve, float t);
karst_fine kst_curve_place(const kst_zone_record *record, const kst_curve_at *curve, float t);
// Vertex g of `cells` on a side, or on a seam the tile corner that it lies at: (i + 2) & ~3 along the edge.
static inline int kst_side_snap(const karst_zone *zone, const karst_piece *piece, int side, int g, int cells) {
    const karst_zone_span *span = &zone->spans[piece->first_span[side]];
    if (!zone->record->curves[span->edge].pins || cells >> piece->tiles_log2 == 1) return g;
    return (g + (span->from < span->to ? 2 : 1)) & ~3;
}
// Vertices of rows [j0, j1] and columns [i0, i1] of a piece with `cells` a side, into out.
void kst_piece_places(const karst_zone *zone, const karst_piece *piece, int cells, int i0, int j0, int i1, int j1,
                      karst_fine *out);

// zone_build.c: a zone of checked data, whose arrays it takes over, also on failure. Their memory is kst_alloc_array's
// of the allocator.
karst_status kst_zone_build(kst_zone_data *data, const karst_noise_bank *bank, const karst_allocator *allocator,
                            karst_report *report, karst_zone **out);
void kst_zone_data_free(kst_zone_data *data, const karst_allocator *allocator);
// zone_check.c: every rule that kst_zone_build() relies on, of data that may come from anywhere. One line names the
// first fault. Edges that end inside each other are found by building.
karst_status kst_zone_data_check(const kst_zone_data *data, const karst_allocator *allocator, karst_report *report);
// The bias of a zone from its cell and step, and its height [m].
karst_status kst_zone_bias(kst_zone_data *data, int32_t up_m, karst_report *report);
// Corner of a zone at eighth 0..8 of an edge; one must be there.
static inline uint16_t kst_edge_corner(const kst_zone_data *data, const kst_edge_data *edge, int eighth) {
    int per = 8 >> edge->spans_log2;
    return eighth == 0   ? edge->corner[0]
           : eighth == 8 ? edge->corner[1]
                         : data->inside[edge->inside + (uint32_t)(eighth / per) - 1];
}
