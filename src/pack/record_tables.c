// SPDX-License-Identifier: MIT
// The section of a pack that its records are read by.
//
//     displaced u8, y shift u8, y low i32 | for each level from the coarsest but one to 0: weights of y, dx, dz |
//     frequencies
#include "pack/record.h"

enum { FIXED_BYTES = 1 + 1 + 4, MODEL_MOST = 16384 };

size_t kst_record_tables_bound(int level_count) {
    return FIXED_BYTES + (size_t)level_count * KST_RECORD_PLANES * KST_WEIGHTS_BYTES + (size_t)KST_MODELS * MODEL_MOST;
}

size_t kst_record_tables_write(const kst_record_tables *t, uint8_t *out, size_t room) {
    if (room < kst_record_tables_bound(t->level_count)) return 0;
    kst_out o = {out};
    kst_put_uint(&o, t->displaced, 1);
    kst_put_uint(&o, (uint64_t)t->y_shift, 1);
    kst_put_uint(&o, (uint32_t)t->y_low, 4);
    for (int level = t->level_count - 2; level >= 0; --level)
        for (int plane = 0; plane < (t->displaced ? KST_RECORD_PLANES : 1); ++plane)
            kst_plane_weights_put(&t->weights[plane][level], &o);
    for (int m = 0; m < KST_MODELS; ++m) {
        size_t size = kst_rans_model_write(&t->model[m], o.at, (size_t)(out + room - o.at));
        if (!size) return 0;
        o.at += size;
    }
    return (size_t)(o.at - out);
}

bool kst_record_tables_read(const uint8_t *bytes, size_t size, kst_record_tables *t) {
    kst_reader r = {bytes, bytes + size, false};
    uint8_t displaced = kst_read_u8(&r), shift = kst_read_u8(&r);
    t->y_low = kst_read_i32(&r);
    if (r.bad || displaced > 1 || shift > 30) return false;
    t->displaced = displaced;
    t->y_shift = shift;
    for (int level = t->level_count - 2; level >= 0; --level)
        for (int plane = 0; plane < (t->displaced ? KST_RECORD_PLANES : 1); ++plane)
            if (!kst_plane_weights_read(&r, &t->weights[plane][level])) return false;
    for (int m = 0; m < KST_MODELS; ++m)
        if (!kst_rans_model_read(&r, &t->model[m])) return false;
    return r.at == r.end;
}
