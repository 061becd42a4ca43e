// SPDX-License-Identifier: MIT
// Maps as bytes: each sample less the one a row above (the first row: the one before it in its channel), low bytes
// and high bytes as planes, then zstd.
#include "pack/format.h"

enum { ZSTD_LEVEL = 7 };

bool kst_map_bytes(const karst_map *map, size_t *out) {
    if (map->width < 1 || map->width > KST_PACK_MAP_SIDE_MAX || map->height < 1 ||
        map->height > KST_PACK_MAP_SIDE_MAX || map->channels < 1 || map->channels > 4 || map->sample_bytes < 1 ||
        map->sample_bytes > 2)
        return false;
    size_t samples;
    return kst_size_mul((size_t)map->width * (size_t)map->channels, (size_t)map->height, &samples) &&
           kst_size_mul(samples, (size_t)map->sample_bytes, out);
}

size_t kst_map_encode_bound(size_t raw) {
    return kst_compress_bound(raw);
}

size_t kst_map_encode(const karst_map *map, uint8_t *out, size_t room) {
    size_t raw, row = (size_t)map->width * (size_t)map->channels, count = row * (size_t)map->height;
    if (!kst_map_bytes(map, &raw)) return 0;
    uint8_t *planes = kst_alloc(NULL, raw);
    if (!planes) return 0;
    const uint8_t *narrow = map->samples;
    const uint16_t *wide = map->samples;
    for (size_t k = 0; k < count; ++k) {
        size_t back = k >= row ? row : k >= (size_t)map->channels ? (size_t)map->channels : 0;
        if (map->sample_bytes == 1) {
            planes[k] = (uint8_t)(narrow[k] - (back ? narrow[k - back] : 0));
        } else {
            uint16_t residual = (uint16_t)(wide[k] - (back ? wide[k - back] : 0));
            planes[k] = (uint8_t)residual;
            planes[count + k] = (uint8_t)(residual >> 8);
        }
    }
    size_t packed = kst_compress(planes, raw, out, room, ZSTD_LEVEL);
    kst_free(NULL, planes, raw);
    return packed;
}

karst_status kst_map_decode(const uint8_t *bytes, size_t size, const karst_map *map, void *samples) {
    size_t raw, row = (size_t)map->width * (size_t)map->channels, count = row * (size_t)map->height;
    if (!kst_map_bytes(map, &raw)) return KARST_ERROR_FORMAT;
    uint8_t *planes = kst_alloc(NULL, raw);
    if (!planes) return KARST_ERROR_MEMORY;
    bool ok = kst_decompress(bytes, size, planes, raw);
    uint8_t *narrow = samples;
    uint16_t *wide = samples;
    for (size_t k = 0; k < count && ok; ++k) {
        size_t back = k >= row ? row : k >= (size_t)map->channels ? (size_t)map->channels : 0;
        if (map->sample_bytes == 1)
            narrow[k] = (uint8_t)(planes[k] + (back ? narrow[k - back] : 0));
        else
            wide[k] = (uint16_t)((planes[k] | planes[count + k] << 8) + (back ? wide[k - back] : 0));
    }
    kst_free(NULL, planes, raw);
    return ok ? KARST_OK : KARST_ERROR_FORMAT;
}
