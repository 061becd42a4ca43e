// SPDX-License-Identifier: MIT
// Seeded properties and temporary folders for tests.
#include "support/prop.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int test_count(int count) {
    const char *quick = getenv("KARST_TEST_QUICK");
    int share = quick ? atoi(quick) : 1;
    return share > 1 ? (count + share - 1) / share : count;
}

prop prop_begin(const char *name, int count) {
    const char *from = getenv("KARST_PROP_FROM");
    int first = from ? atoi(from) : 0;
    return (prop){
        .name = name, .seed = kst_hash(name, strlen(name), 0), .at = first - 1, .count = first + test_count(count)};
}

bool prop_next(prop *p) {
    const char *only = getenv("KARST_PROP_CASE");
    p->draw = 0;
    if (only) {
        if (p->at == atoi(only)) return false;
        p->at = atoi(only);
        return true;
    }
    return ++p->at < p->count;
}

uint64_t prop_u64(prop *p) {
    return kst_random(p->seed + (uint64_t)p->at * 0x9E3779B97F4A7C15u, p->draw++);
}
double prop_real(prop *p, double low, double high) {
    return low + (high - low) * ((double)(prop_u64(p) >> 11) * 0x1p-53);
}
int prop_int(prop *p, int low, int high) {
    return low + (int)(prop_u64(p) % ((uint64_t)((int64_t)high - low) + 1));
}
bool prop_chance(prop *p, double share) {
    return prop_real(p, 0, 1) < share;
}

void prop_fail(prop *p, const char *file, int line, const char *text) {
    print_error("property %s failed at case %d: %s (replay: KARST_PROP_CASE=%d)\n", p->name, p->at, text, p->at);
    _fail(file, line);
}

static char folder[256];

void temp_in_memory(void) {
    if (!access("/dev/shm", W_OK | X_OK)) setenv("TMPDIR", "/dev/shm", 0);
}

const char *temp_folder(void) {
    if (!folder[0]) {
        const char *base = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/karst-test-XXXXXX", base ? base : "/tmp");
        if (!mkdtemp(folder)) abort();
    }
    return folder;
}

const char *temp_path(const char *name) {
    static char path[8][512];
    static unsigned turn;
    char *p = path[turn++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", temp_folder(), name);
    return p;
}

void temp_remove(void) {
    if (!folder[0]) return;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.') unlink(path);
    }
    if (d) closedir(d);
    rmdir(folder);
    folder[0] = 0;
}

const char *data_path(const char *name) {
    static char path[1024];
    const char *base = getenv("KARST_TEST_DATA");
    if (!base) return NULL;
    snprintf(path, sizeof path, "%s/%s", base, name);
    return access(path, R_OK) ? NULL : path;
}

int temp_teardown(void **state) {
    (void)state;
    temp_remove();
    return 0;
}

bool same_bytes(const char *a, const char *b) {
    kst_map x, y;
    assert_int_equal(kst_file_map(a, NULL, &x), KARST_OK);
    assert_int_equal(kst_file_map(b, NULL, &y), KARST_OK);
    bool same = x.size == y.size && !memcmp(x.bytes, y.bytes, x.size);
    kst_file_unmap(&x);
    kst_file_unmap(&y);
    return same;
}

uint8_t *read_bytes(const char *path, size_t *size) {
    kst_map map;
    assert_int_equal(kst_file_map(path, NULL, &map), KARST_OK);
    uint8_t *bytes = malloc(map.size + 1);
    assert_non_null(bytes);
    memcpy(bytes, map.bytes, map.size);
    *size = map.size;
    kst_file_unmap(&map);
    return bytes;
}

void write_part(const char *path, const uint8_t *bytes, size_t from, size_t to) {
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    assert_true(fd >= 0);
    while (from < to) {
        ssize_t n = pwrite(fd, bytes + from, to - from, (off_t)from);
        assert_true(n > 0);
        from += (size_t)n;
    }
    close(fd);
}
