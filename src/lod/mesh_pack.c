// SPDX-License-Identifier: MIT
// Meshes of a pack: its finest chunks as a field that is read from them.
#include <math.h>

#include "core/core.h"
#include "karst/mesh.h"

typedef struct source {
    const karst_pack *pack;
    karst_lattice lattice;
    karst_chunk *chunk;
} source;

// A vertex as a field holds it; returns how far that is from the lattice [m]: 24 bits hold most heights exactly.
static double place_of(const karst_lattice *lattice, karst_vertex v, float out[3]) {
    double at[3] = {v.y * lattice->step_y_m, v.dx * lattice->step_xz_m, v.dz * lattice->step_xz_m}, square = 0;
    for (int k = 0; k < 3; ++k) {
        out[k] = (float)at[k];
        double off = (double)out[k] - at[k];
        square += off * off;
    }
    return sqrt(square);
}

static karst_status load(void *context, int32_t chunk_x, int32_t chunk_z, karst_field_chunk *out, bool *found) {
    const source *s = context;
    karst_status status = karst_pack_read_chunk(s->pack, 0, chunk_x, chunk_z, s->chunk);
    if (status) return status;
    out->displaced = false;
    for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) {
        float at[3];
        place_of(&s->lattice, s->chunk->vertex[k], at);
        out->y[k] = at[0], out->x[k] = at[1], out->z[k] = at[2];
        out->displaced |= s->chunk->vertex[k].dx || s->chunk->vertex[k].dz;
    }
    memcpy(out->hole, s->chunk->hole, sizeof out->hole);
    *found = true;
    return KARST_OK;
}

// The largest distance of any vertex from where the field has it.
static karst_status find_grain(const source *s, double *grain) {
    int32_t across, along;
    karst_pack_chunk_grid(s->pack, 0, &across, &along);
    *grain = 0;
    for (int32_t z = 0; z < along; ++z)
        for (int32_t x = 0; x < across; ++x) {
            karst_status status = karst_pack_read_chunk(s->pack, 0, x, z, s->chunk);
            if (status) return status;
            float at[3];
            for (int k = 0; k < KARST_CHUNK_VERTICES; ++k)
                *grain = fmax(*grain, place_of(&s->lattice, s->chunk->vertex[k], at));
        }
    return KARST_OK;
}

static karst_status save(void *context, int32_t chunk_x, int32_t chunk_z, const karst_field_chunk *chunk) {
    (void)context, (void)chunk_x, (void)chunk_z, (void)chunk;
    return KARST_ERROR_UNSUPPORTED;  // never called: nobody writes
}

karst_status karst_mesh_build_pack(const karst_pack *pack, const karst_mesh_def *def, karst_mesh **out) {
    karst_mesh_def used = def ? *def : karst_mesh_def_default();
    KARST_ASSERT(used.cookie == KST_COOKIE);
    source s = {pack, karst_pack_info_of(pack).lattice, kst_alloc(used.allocator, sizeof *s.chunk)};
    karst_field_store store = {.load = load, .save = save, .context = &s};
    karst_field_def field_def = karst_field_def_default();
    field_def.shape = s.lattice.shape;
    field_def.store = &store;
    field_def.allocator = used.allocator;
    karst_field *field = NULL;
    double grain = 0;
    karst_status status = s.chunk ? find_grain(&s, &grain) : KARST_ERROR_MEMORY;
    if (!status) status = karst_field_create(&field_def, &field);
    if (status) {
        kst_fail(used.report, status, "mesh: %s", karst_status_text(status));
    } else {
        if (used.error_m > used.room_m + grain) used.room_m += grain;  // a mesh without error has the floats' own
        karst_mesh *mesh;
        status = karst_mesh_build(field, &used, &mesh);
        if (!status) {
            mesh->error_m += grain;
            *out = mesh;
        }
    }
    karst_field_destroy(field);
    kst_free(used.allocator, s.chunk, sizeof *s.chunk);
    return status;
}
