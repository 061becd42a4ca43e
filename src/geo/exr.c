// SPDX-License-Identifier: MIT
// OpenEXR, by scan lines. After the "OpenEXR File Layout" of the OpenEXR project.
//
//   magic, version, attributes (name 0, type 0, size, value) ended by 0, then a table of offsets of blocks of lines:
//   y, size, bytes. A line holds its channels one after another, in the order of the header, which is that of names.
//   Packed bytes are split into even and odd places, each byte the difference from the one before.
//
// What a file says is not trusted: sizes are checked against the file before memory is taken.
#include "geo/exr.h"
#include "geo/gdal_calls.h"

#include <math.h>

enum { MAGIC = 20000630, CHANNELS_MAX = 32, NAME_ROOM = 256, EXR_SIDE_MAX = 16384, LINES_OF_ZIP = 16 };
enum { NONE, RLE, ZIPS, ZIP };
enum { UINT, HALF, FLOAT };

typedef struct channel {
    char name[NAME_ROOM];
    int type;
} channel;

typedef struct exr {
    const char *path;
    karst_report *report;
    const uint8_t *bytes;
    size_t size;
    kst_reader r;
    channel channels[CHANNELS_MAX];
    int channel_count, compression;
    bool has_channels, has_window, has_compression;
    int32_t window[4];  // x and y of the first and of the last pixel
    int width, height;
    size_t line_bytes;
} exr;

static karst_status damaged(const exr *e, const char *what) {
    return kst_fail(e->report, KARST_ERROR_FORMAT, "%s: damaged OpenEXR: %s", e->path, what);
}

// ---- header ------------------------------------------------------------------------------------------

// A name ended by 0; false when there is none within `room`.
static bool read_name(kst_reader *r, char *out, size_t room) {
    size_t n = 0;
    while (n < room && (out[n] = (char)kst_read_u8(r))) ++n;
    return !r->bad && n < room;
}

static karst_status read_channels(exr *e, kst_reader r) {
    for (;;) {
        channel c = {{0}, 0};
        if (!read_name(&r, c.name, sizeof c.name)) return damaged(e, "its channels");
        if (!c.name[0]) break;
        c.type = kst_read_i32(&r);
        kst_read_u32(&r);
        int32_t x = kst_read_i32(&r), y = kst_read_i32(&r);
        if (r.bad || c.type < UINT || c.type > FLOAT) return damaged(e, "its channels");
        if (x != 1 || y != 1)
            return kst_fail(e->report, KARST_ERROR_UNSUPPORTED, "%s: channel %s is coarser than the picture", e->path,
                            c.name);
        if (e->channel_count == CHANNELS_MAX)
            return kst_fail(e->report, KARST_ERROR_LIMIT, "%s: more than %d channels", e->path, CHANNELS_MAX);
        e->channels[e->channel_count++] = c;
    }
    e->has_channels = e->channel_count > 0;
    return KARST_OK;
}

static karst_status read_attribute(exr *e, const char *name, const uint8_t *value, size_t size) {
    kst_reader r = {value, value + size, false};
    if (!strcmp(name, "channels") && !e->has_channels) return read_channels(e, r);
    if (!strcmp(name, "compression")) {
        e->compression = kst_read_u8(&r);
        e->has_compression = !r.bad;
    }
    if (!strcmp(name, "dataWindow")) {
        for (int k = 0; k < 4; ++k) e->window[k] = kst_read_i32(&r);
        e->has_window = !r.bad;
    }
    return KARST_OK;
}

static karst_status read_header(exr *e) {
    if (kst_read_u32(&e->r) != MAGIC) return kst_fail(e->report, KARST_ERROR_FORMAT, "%s: not OpenEXR", e->path);
    uint32_t version = kst_read_u32(&e->r);
    if ((version & 0xff) != 2 || version & 0x1a00)
        return kst_fail(e->report, KARST_ERROR_UNSUPPORTED,
                        "%s: OpenEXR by tiles, of several parts or deep: save it as plain scan lines", e->path);
    for (;;) {
        char name[NAME_ROOM], type[NAME_ROOM];
        if (!read_name(&e->r, name, sizeof name)) return damaged(e, "its header");
        if (!name[0]) break;
        if (!read_name(&e->r, type, sizeof type)) return damaged(e, "its header");
        uint32_t size = kst_read_u32(&e->r);
        const uint8_t *value = kst_read_bytes(&e->r, size);
        if (!value) return damaged(e, "its header");
        karst_status status = read_attribute(e, name, value, size);
        if (status) return status;
    }
    if (!e->has_channels || !e->has_window || !e->has_compression) return damaged(e, "its header says too little");
    if (e->compression > ZIP)
        return kst_fail(e->report, KARST_ERROR_UNSUPPORTED,
                        "%s: this OpenEXR compression is not read: save it with none, RLE, ZIPS or ZIP", e->path);
    return KARST_OK;
}

static karst_status weigh(exr *e) {
    int64_t width = (int64_t)e->window[2] - e->window[0] + 1, height = (int64_t)e->window[3] - e->window[1] + 1;
    if (width < 1 || height < 1) return damaged(e, "its size");
    if (width > EXR_SIDE_MAX || height > EXR_SIDE_MAX)
        return kst_fail(e->report, KARST_ERROR_LIMIT, "%s: %lld x %lld pixels: a stamp has up to %d a side", e->path,
                        (long long)width, (long long)height, EXR_SIDE_MAX);
    e->width = (int)width, e->height = (int)height;
    for (int c = 0; c < e->channel_count; ++c) e->line_bytes += (size_t)width * (e->channels[c].type == HALF ? 2 : 4);
    // No packing here goes beyond a thousandth, so a small file does not ask for much memory.
    if (e->line_bytes * (size_t)height / 1100 > e->size)
        return kst_fail(e->report, KARST_ERROR_LIMIT,
                        "%s: declares %d x %d pixels in a file of %zu bytes: that cannot be", e->path, e->width,
                        e->height, e->size);
    return KARST_OK;
}

// ---- blocks of lines ---------------------------------------------------------------------------------

static bool unpack_rle(const uint8_t *from, size_t packed, uint8_t *to, size_t size) {
    size_t i = 0, n = 0;
    while (i < packed) {
        int count = (int8_t)from[i++];
        size_t run = count < 0 ? (size_t)-count : (size_t)count + 1;
        if (run > size - n || (count < 0 ? run > packed - i : i >= packed)) return false;
        if (count < 0) {
            memcpy(to + n, from + i, run);
            i += run;
        } else {
            memset(to + n, from[i++], run);
        }
        n += run;
    }
    return n == size;
}

static bool unpack(const exr *e, const uint8_t *from, size_t packed, uint8_t *spare, uint8_t *to, size_t size) {
    if (packed == size) {  // what did not shrink is stored as it is
        memcpy(to, from, size);
        return true;
    }
    if (e->compression == NONE || packed > size) return false;
    if (e->compression == RLE) {
        if (!unpack_rle(from, packed, spare, size)) return false;
    } else {
        size_t got = 0;
        if (!kst_gdal.CPLZLibInflate(from, packed, spare, size, &got) || got != size) return false;
    }
    for (size_t k = 1; k < size; ++k) spare[k] = (uint8_t)(spare[k] + spare[k - 1] - 128);
    size_t half = (size + 1) / 2;
    for (size_t k = 0; k < size; ++k) to[k] = spare[k / 2 + (k & 1 ? half : 0)];
    return true;
}

static float half_value(uint16_t h) {
    uint32_t exponent = h >> 10 & 31, fraction = h & 1023;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent     ? ldexpf((float)(fraction | 1024), (int)exponent - 25)
                                : ldexpf((float)fraction, -24);
    return h >> 15 ? -size : size;
}

// One channel of a line into every `channels`-th sample.
static void take_channel(const uint8_t *line, int type, int width, float *to, int channels) {
    kst_reader r = {line, line + (size_t)width * (type == HALF ? 2 : 4), false};
    for (int i = 0; i < width; ++i, to += channels)
        *to = type == HALF ? half_value(kst_read_u16(&r)) : type == FLOAT ? kst_read_f32(&r) : (float)kst_read_u32(&r);
}

// Which channel of the file is each of the stamp's: R, G, B, or the one that is there.
static int choose(const exr *e, int chosen[3]) {
    static const char *const colours[3] = {"R", "G", "B"};
    int found = 0, plain = -1;
    for (int k = 0; k < 3; ++k) {
        chosen[k] = -1;
        for (int c = 0; c < e->channel_count; ++c)
            if (!strcmp(e->channels[c].name, colours[k])) chosen[k] = c;
        found += chosen[k] >= 0;
    }
    if (found == 3) return 3;
    for (int c = 0; c < e->channel_count; ++c)
        if (!strcmp(e->channels[c].name, "Y") || (plain < 0 && strcmp(e->channels[c].name, "A"))) plain = c;
    chosen[0] = plain;
    return plain >= 0 ? 1 : 0;
}

static karst_status read_block(exr *e, uint64_t offset, int lines, uint8_t *spare, uint8_t *plain, const int *chosen,
                               karst_stamp *stamp) {
    if (offset > e->size) return damaged(e, "cut short");
    kst_reader r = {e->bytes + offset, e->bytes + e->size, false};
    int64_t y = (int64_t)kst_read_i32(&r) - e->window[1];
    uint32_t packed = kst_read_u32(&r);
    const uint8_t *from = kst_read_bytes(&r, packed);
    if (!from || y < 0 || y >= e->height || y % lines) return damaged(e, "cut short");
    int count = e->height - (int)y < lines ? e->height - (int)y : lines;
    if (!unpack(e, from, packed, spare, plain, (size_t)count * e->line_bytes)) return damaged(e, "its samples");
    for (int k = 0; k < count; ++k) {
        const uint8_t *line = plain + (size_t)k * e->line_bytes;
        for (int c = 0; c < e->channel_count; ++c) {
            for (int to = 0; to < stamp->channels; ++to)
                if (chosen[to] == c)
                    take_channel(line, e->channels[c].type, e->width,
                                 stamp->samples + ((size_t)(y + k) * (size_t)e->width) * (size_t)stamp->channels + to,
                                 stamp->channels);
            line += (size_t)e->width * (e->channels[c].type == HALF ? 2 : 4);
        }
    }
    return KARST_OK;
}

static karst_status read_blocks(exr *e, const int *chosen, karst_stamp *stamp) {
    int lines = e->compression == ZIP ? LINES_OF_ZIP : 1, blocks = (e->height + lines - 1) / lines;
    kst_reader table = {kst_read_bytes(&e->r, 8 * (size_t)blocks), e->bytes + e->size, false};
    if (!table.at) return damaged(e, "cut short");
    size_t room = (size_t)lines * e->line_bytes;
    uint8_t *memory = kst_alloc(NULL, 2 * room);
    if (!memory) return kst_fail(e->report, KARST_ERROR_MEMORY, "%s: out of memory", e->path);
    karst_status status = KARST_OK;
    for (int b = 0; b < blocks && !status; ++b)
        status = read_block(e, kst_read_u64(&table), lines, memory, memory + room, chosen, stamp);
    kst_free(NULL, memory, 2 * room);
    return status;
}

karst_status kst_exr_parse(const uint8_t *bytes, size_t size, const char *path, karst_report *report,
                           karst_stamp **out) {
    exr e = {.path = path, .report = report, .bytes = bytes, .size = size, .r = {bytes, bytes + size, false}};
    karst_status status = kst_gdal_need(report);
    if (!status) status = read_header(&e);
    if (!status) status = weigh(&e);
    if (status) return status;
    int chosen[3], channels = choose(&e, chosen);
    if (!channels)
        return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: neither R, G and B nor a channel of heights", path);
    karst_stamp *stamp;
    status = karst_stamp_create(e.width, e.height, channels, &stamp);
    if (status)
        return kst_fail(report, status, "%s: %d x %d pixels: %s", path, e.width, e.height, karst_status_text(status));
    kst_gdal_words words;
    kst_gdal_begin(&words);  // its inflate speaks
    status = read_blocks(&e, chosen, stamp);
    kst_gdal_end();
    if (status)
        karst_stamp_destroy(stamp);
    else
        *out = stamp;
    return status;
}

karst_status kst_exr_read(const char *path, karst_report *report, karst_stamp **out) {
    kst_map map;
    karst_status status = kst_file_map(path, report, &map);
    if (status) return status;
    status = kst_exr_parse(map.bytes, map.size, path, report, out);
    kst_file_unmap(&map);
    return status;
}

// ---- writing -----------------------------------------------------------------------------------------

static void put_attribute(kst_out *o, const char *name, const char *type, uint32_t size) {
    memcpy(o->at, name, strlen(name) + 1);
    o->at += strlen(name) + 1;
    memcpy(o->at, type, strlen(type) + 1);
    o->at += strlen(type) + 1;
    kst_put_uint(o, size, 4);
}

static void put_window(kst_out *o, const char *name, const karst_stamp *s) {
    put_attribute(o, name, "box2i", 16);
    kst_put_uint(o, 0, 8);
    kst_put_uint(o, (uint32_t)s->width - 1, 4);
    kst_put_uint(o, (uint32_t)s->height - 1, 4);
}

static size_t put_header(uint8_t room[1024], const karst_stamp *s) {
    static const char *const names[2][3] = {{"Y"}, {"B", "G", "R"}};
    kst_out o = {room};
    kst_put_uint(&o, MAGIC, 4);
    kst_put_uint(&o, 2, 4);
    put_attribute(&o, "channels", "chlist", (uint32_t)(18 * s->channels + 1));
    for (int c = 0; c < s->channels; ++c) {
        memcpy(o.at, names[s->channels == 3][c], 2);
        o.at += 2;
        kst_put_uint(&o, FLOAT, 4);
        kst_put_uint(&o, 1, 4);  // values, not light
        kst_put_uint(&o, 1, 4);
        kst_put_uint(&o, 1, 4);
    }
    kst_put_uint(&o, 0, 1);
    put_attribute(&o, "compression", "compression", 1);
    kst_put_uint(&o, ZIP, 1);
    put_window(&o, "dataWindow", s);
    put_window(&o, "displayWindow", s);
    put_attribute(&o, "lineOrder", "lineOrder", 1);
    kst_put_uint(&o, 0, 1);
    put_attribute(&o, "pixelAspectRatio", "float", 4);
    kst_put_f32(&o, 1);
    put_attribute(&o, "screenWindowCenter", "v2f", 8);
    kst_put_uint(&o, 0, 8);
    put_attribute(&o, "screenWindowWidth", "float", 4);
    kst_put_f32(&o, 1);
    kst_put_uint(&o, 0, 1);
    return (size_t)(o.at - room);
}

// Pack `size` plain bytes; what does not shrink stays as it is. Returns how many bytes `to` holds.
static size_t pack(const uint8_t *plain, size_t size, uint8_t *spare, uint8_t *to) {
    size_t half = (size + 1) / 2, got = 0;
    for (size_t k = 0; k < size; ++k) spare[k / 2 + (k & 1 ? half : 0)] = plain[k];
    for (size_t k = size - 1; k > 0; --k) spare[k] = (uint8_t)(spare[k] - spare[k - 1] + 128);
    if (kst_gdal.CPLZLibDeflate(spare, size, 6, to, size, &got) && got < size) return got;
    memcpy(to, plain, size);
    return size;
}

static void put_blocks(kst_writer *w, const karst_stamp *s, size_t header, uint8_t *memory, size_t room) {
    int blocks = (s->height + LINES_OF_ZIP - 1) / LINES_OF_ZIP;
    uint64_t at = header + 8 * (uint64_t)blocks;
    for (int b = 0; b < blocks; ++b) kst_writer_put(w, &(uint64_t){0}, 8);
    for (int b = 0; b < blocks; ++b) {
        int y = b * LINES_OF_ZIP, lines = s->height - y < LINES_OF_ZIP ? s->height - y : LINES_OF_ZIP;
        kst_out o = {memory};
        for (int j = y; j < y + lines; ++j)
            for (int c = s->channels - 1; c >= 0; --c)  // names in order: B, G, R
                for (int i = 0; i < s->width; ++i)
                    kst_put_f32(
                        &o, s->samples[((size_t)j * (size_t)s->width + (size_t)i) * (size_t)s->channels + (size_t)c]);
        size_t size = (size_t)(o.at - memory), packed = pack(memory, size, memory + room, memory + 2 * room);
        uint8_t head[8], place[8];
        kst_out h = {head}, p = {place};
        kst_put_uint(&h, (uint32_t)y, 4);
        kst_put_uint(&h, packed, 4);
        kst_put_uint(&p, at, 8);
        kst_writer_at(w, header + 8 * (uint64_t)b, place, 8);
        kst_writer_put(w, head, 8);
        kst_writer_put(w, memory + 2 * room, packed);
        at += 8 + packed;
    }
}

karst_status kst_exr_write(const char *path, const karst_stamp *stamp, karst_report *report) {
    karst_status status = kst_gdal_need(report);
    if (status) return status;
    uint8_t header[1024];
    size_t size = put_header(header, stamp);
    size_t room = (size_t)LINES_OF_ZIP * (size_t)stamp->width * (size_t)stamp->channels * 4;
    uint8_t *memory = kst_alloc_array(NULL, room, 3);
    if (!memory) return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    kst_writer w;
    status = kst_writer_open(&w, path, report);
    if (!status) {
        kst_writer_put(&w, header, size);
        put_blocks(&w, stamp, size, memory, room);
        status = kst_writer_commit(&w, report);
    }
    kst_free(NULL, memory, 3 * room);
    return status;
}
