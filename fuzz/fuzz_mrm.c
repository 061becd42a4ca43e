// SPDX-License-Identifier: MIT
// Multi-resolution meshes from hostile bytes: as they are, and with checksums and sizes set right, the blocks of the
// input being plain bytes that are packed first. A mesh that is accepted is slid to
// every kind of level, written and read back.
#include <stdlib.h>

#include "karst/mrm.h"
#include "mesh/mrm_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void slide(const karst_mrm *mrm) {
    karst_mrm_info info = karst_mrm_describe(mrm);
    void *memory = malloc(karst_mrm_instance_bytes(mrm));
    karst_mrm_instance at;
    if (!memory) abort();
    karst_mrm_instance_init(&at, mrm, memory);
    uint64_t full = kst_hash(at.index, at.index_count * sizeof *at.index, 0);
    uint32_t span = info.vertices - info.least_vertices + 1;
    for (uint64_t k = 0; k < 40; ++k) {
        uint32_t earlier = at.vertices;
        karst_mrm_set_level(&at, info.least_vertices + (uint32_t)(kst_random(7, k) % span));
        for (uint32_t i = 0; i < at.index_count; ++i)
            if (at.index[i] >= at.index_wedges || at.index_wedges > info.wedges) abort();
        karst_mrm_change change[16];
        karst_mrm_section section[16];
        karst_mrm_morph morph[16];
        karst_mrm_changes(&at, earlier, change, 16);
        karst_mrm_sections(&at, section, 16);
        karst_mrm_morphs(mrm, at.vertices - 0.5, 8, morph, 16);
        karst_mrm_level_of_triangles(mrm, at.triangles);
    }
    karst_mrm_set_level(&at, info.vertices);
    if (kst_hash(at.index, at.index_count * sizeof *at.index, 0) != full) abort();
    free(memory);
    karst_model *level;
    if (karst_mrm_extract(mrm, info.least_vertices + span / 2, NULL, &level)) abort();
    if (karst_model_check(level, NULL)) abort();
    karst_model_destroy(level);
}

static void round_trip(const karst_mrm *mrm) {
    kst_mrm_list list;
    uint8_t *bytes;
    size_t size;
    karst_mrm *again;
    if (kst_mrm_unravel(mrm, NULL, &list) || kst_mrm_encode(&list, NULL, &bytes, &size)) abort();
    kst_mrm_list_release(&list);
    if (karst_mrm_decode(bytes, size, false, NULL, NULL, &again)) abort();
    karst_mrm_info a = karst_mrm_describe(mrm), b = karst_mrm_describe(again);
    if (a.vertices != b.vertices || a.wedges != b.wedges || a.triangles != b.triangles) abort();
    karst_mrm_destroy(again);
    kst_free(NULL, bytes, size);
}

static void try(const uint8_t *bytes, size_t size, bool partial) {
    karst_mrm *mrm;
    if (karst_mrm_decode(bytes, size, partial, NULL, NULL, &mrm)) return;
    slide(mrm);
    round_trip(mrm);
    karst_mrm_destroy(mrm);
}

static uint32_t word_at(const uint8_t *at) {
    kst_reader r = {at, at + 4, false};
    return kst_read_u32(&r);
}

// A file whose blocks are stored plain (packed == raw) as the fuzzer sees them, made one that reads: each block packed,
// its place, size and checksum in the directory set, then the head's.
static void mend_and_try(const uint8_t *bytes, size_t size) {
    if (size < KST_KMRM_HEAD) return;
    uint32_t blocks = word_at(bytes + 84);
    size_t head = KST_KMRM_HEAD + (size_t)blocks * KST_KMRM_ENTRY, from = head;
    if (blocks < 2 || blocks > 8 || head > size) return;
    size_t room = head;
    for (uint32_t k = 0; k < blocks; ++k)
        room += kst_compress_bound(word_at(bytes + KST_KMRM_HEAD + k * KST_KMRM_ENTRY + 20) & 0xffff);
    uint8_t *out = calloc(1, room);
    if (!out) abort();
    memcpy(out, bytes, head);
    size_t to = head;
    for (uint32_t k = 0; k < blocks; ++k) {
        uint8_t *entry = out + KST_KMRM_HEAD + k * KST_KMRM_ENTRY;
        size_t raw = word_at(entry + 20) & 0xffff;
        raw = raw < size - from ? raw : size - from;
        size_t packed = kst_compress(bytes + from, raw, out + to, room - to, 1);
        kst_out o = {entry + 16};
        kst_put_uint(&o, packed, 4), kst_put_uint(&o, raw, 4), kst_put_uint(&o, to, 8);
        kst_put_uint(&o, kst_hash(out + to, packed, 0), 8);
        from += raw;
        to += packed;
    }
    kst_out o = {out + KST_KMRM_HEAD - 16};
    kst_put_uint(&o, to, 8), kst_put_uint(&o, 0, 8);
    uint64_t hash = kst_hash(out, head, 0);
    o.at = out + KST_KMRM_HEAD - 8;
    kst_put_uint(&o, hash, 8);
    try(out, to, size & 1);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    try(bytes, size, true);
    mend_and_try(bytes, size);
    return 0;
}
