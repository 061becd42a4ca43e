// SPDX-License-Identifier: MIT
// Maps as bytes: bands of rows one after the other, each a length and a zstd frame, so that they are made side by side
// and a cancelled bake need not wait for a whole map. In a band each sample is stored less the one a row above (its
// first row: less the one before it in its channel), low bytes and high bytes as planes.
#include "pack/format.h"

// Level 7 takes three times as long for a thousandth less: the low bits of relief are noise.
enum { ZSTD_LEVEL = 2, BAND_ROWS = 128, LENGTH_BYTES = 4 };

bool kst_map_bytes(const karst_map *map, size_t *out) {
    if (map->width < 1 || map->width > KST_PACK_MAP_SIDE_MAX || map->height < 1 ||
        map->height > KST_PACK_MAP_SIDE_MAX || map->channels < 1 || map->channels > 4 || map->sample_bytes < 1 ||
        map->sample_bytes > 2)
        return false;
    size_t samples;
    return kst_size_mul((size_t)map->width * (size_t)map->channels, (size_t)map->height, &samples) &&
           kst_size_mul(samples, (size_t)map->sample_bytes, out) && *out <= KST_PACK_MAP_BYTES_MAX;
}

int kst_map_bands(const karst_map *map) {
    return (map->height + BAND_ROWS - 1) / BAND_ROWS;
}

// A band's rows, seen as a map of its own.
static karst_map band_of(const karst_map *map, int band, const void *samples) {
    karst_map part = *map;
    int32_t first = band * BAND_ROWS;
    part.height = map->height - first < BAND_ROWS ? map->height - first : BAND_ROWS;
    size_t row = (size_t)map->width * (size_t)map->channels * (size_t)map->sample_bytes;
    part.samples = (const uint8_t *)samples + (size_t)first * row;
    return part;
}

size_t kst_map_band_bound(const karst_map *map) {
    karst_map part = *map;
    size_t raw;
    if (part.height > BAND_ROWS) part.height = BAND_ROWS;
    return kst_map_bytes(&part, &raw) ? LENGTH_BYTES + kst_compress_bound(raw) : 0;
}

size_t kst_map_encode_band(const karst_map *map, int band, uint8_t *out, size_t room) {
    karst_map part = band_of(map, band, map->samples);
    size_t raw, row = (size_t)part.width * (size_t)part.channels, count = row * (size_t)part.height;
    if (!kst_map_bytes(&part, &raw) || room < LENGTH_BYTES) return 0;
    uint8_t *planes = kst_alloc(NULL, raw);
    if (!planes) return 0;
    const uint8_t *narrow = part.samples;
    const uint16_t *wide = part.samples;
    for (size_t k = 0; k < count; ++k) {
        size_t back = k >= row ? row : k >= (size_t)part.channels ? (size_t)part.channels : 0;
        if (part.sample_bytes == 1) {
            planes[k] = (uint8_t)(narrow[k] - (back ? narrow[k - back] : 0));
        } else {
            uint16_t residual = (uint16_t)(wide[k] - (back ? wide[k - back] : 0));
            planes[k] = (uint8_t)residual;
            planes[count + k] = (uint8_t)(residual >> 8);
        }
    }
    size_t packed = kst_compress(planes, raw, out + LENGTH_BYTES, room - LENGTH_BYTES, ZSTD_LEVEL);
    kst_free(NULL, planes, raw);
    kst_put_uint(&(kst_out){out}, packed, LENGTH_BYTES);
    return packed ? LENGTH_BYTES + packed : 0;
}

static bool decode_band(const uint8_t *bytes, size_t size, const karst_map *part, uint8_t *planes) {
    size_t raw, row = (size_t)part->width * (size_t)part->channels, count = row * (size_t)part->height;
    if (!kst_map_bytes(part, &raw) || !kst_decompress(bytes, size, planes, raw)) return false;
    uint8_t *narrow = (uint8_t *)(uintptr_t)part->samples;
    uint16_t *wide = (uint16_t *)(uintptr_t)part->samples;
    for (size_t k = 0; k < count; ++k) {
        size_t back = k >= row ? row : k >= (size_t)part->channels ? (size_t)part->channels : 0;
        if (part->sample_bytes == 1)
            narrow[k] = (uint8_t)(planes[k] + (back ? narrow[k - back] : 0));
        else
            wide[k] = (uint16_t)((planes[k] | planes[count + k] << 8) + (back ? wide[k - back] : 0));
    }
    return true;
}

karst_status kst_map_decode(const uint8_t *bytes, size_t size, const karst_map *map, void *samples) {
    karst_map first = band_of(map, 0, samples);
    size_t raw, whole;
    if (!kst_map_bytes(map, &whole) || !kst_map_bytes(&first, &raw)) return KARST_ERROR_FORMAT;
    uint8_t *planes = kst_alloc(NULL, raw);
    if (!planes) return KARST_ERROR_MEMORY;
    kst_reader r = {bytes, bytes + size, false};
    bool ok = true;
    for (int band = 0; band < kst_map_bands(map) && ok; ++band) {
        karst_map part = band_of(map, band, samples);
        size_t length = kst_read_u32(&r);
        const uint8_t *packed = kst_read_bytes(&r, length);
        ok = packed && decode_band(packed, length, &part, planes);
    }
    kst_free(NULL, planes, raw);
    return ok && !r.bad && r.at == r.end ? KARST_OK : KARST_ERROR_FORMAT;
}
