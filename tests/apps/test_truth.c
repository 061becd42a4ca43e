// SPDX-License-Identifier: MIT
// One truth: what rays meet, what heights say and what the full export holds is the same ground, to a tenth of a
// millimetre, through vertices, edges and diagonals too.
#include "karst/bake.h"
#include "scenes/scenes.h"
#include "support/prop.h"
#include "support/run.h"

enum { SIDE = 33, CELLS = SIDE - 1, RANDOM = 100000, TRIANGLES = 2 * CELLS * CELLS };

typedef struct corner {
    double x, y, z;
} corner;
typedef struct triangle {
    corner p[3];
} triangle;

// Triangles of an exported file, in buckets of a cell by their middle.
typedef struct mesh {
    triangle all[TRIANGLES];
    int count, bucket[CELLS * CELLS][2], in_bucket[CELLS * CELLS];
} mesh;

static void read_obj(const char *path, mesh *m) {
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    corner vertex[SIDE * SIDE + 1];
    int vertices = 0;
    char line[256];
    memset(m, 0, sizeof *m);
    while (fgets(line, sizeof line, f)) {
        corner v;
        int a[3];
        if (sscanf(line, "v %lf %lf %lf", &v.x, &v.y, &v.z) == 3) {
            assert_true(vertices < SIDE * SIDE);
            vertex[++vertices] = v;
        }
        if (sscanf(line, "f %d%*[^ ] %d%*[^ ] %d", &a[0], &a[1], &a[2]) == 3 ||
            sscanf(line, "f %d %d %d", &a[0], &a[1], &a[2]) == 3) {
            assert_true(m->count < TRIANGLES);
            triangle *t = &m->all[m->count];
            for (int i = 0; i < 3; ++i) {
                assert_in_range(a[i], 1, vertices);
                t->p[i] = vertex[a[i]];
            }
            int cell =
                (int)((t->p[0].z + t->p[1].z + t->p[2].z) / 3) * CELLS + (int)((t->p[0].x + t->p[1].x + t->p[2].x) / 3);
            assert_true(m->in_bucket[cell] < 2);
            m->bucket[cell][m->in_bucket[cell]++] = m->count++;
        }
    }
    fclose(f);
}

// Height of a triangle at (x, z), borders included. Exact about what is inside: all coordinates are whole or halves.
static bool on_triangle(const triangle *t, double x, double z, double *y) {
    double w[3], area = 0;
    for (int i = 0; i < 3; ++i) {
        const corner *a = &t->p[(i + 1) % 3], *b = &t->p[(i + 2) % 3];
        w[i] = (b->x - a->x) * (z - a->z) - (b->z - a->z) * (x - a->x);
        area += w[i];
    }
    for (int i = 0; i < 3; ++i)
        if (w[i] * area < 0) return false;
    *y = (w[0] * t->p[0].y + w[1] * t->p[1].y + w[2] * t->p[2].y) / area;
    return true;
}

static bool brute_height(const mesh *m, double x, double z, double *y) {
    bool found = false;
    for (int j = (int)z - 1; j <= (int)z; ++j)
        for (int i = (int)x - 1; i <= (int)x; ++i) {
            if (i < 0 || j < 0 || i >= CELLS || j >= CELLS) continue;
            for (int k = 0; k < m->in_bucket[j * CELLS + i]; ++k)
                if (!found) found = on_triangle(&m->all[m->bucket[j * CELLS + i][k]], x, z, y);
        }
    return found;
}

static int make_places(double (*at)[2]) {
    int n = 0;
    prop p = prop_begin("places", 1);
    for (; n < test_count(RANDOM); ++n) {
        at[n][0] = prop_real(&p, 0, CELLS);
        at[n][1] = prop_real(&p, 0, CELLS);
    }
    for (int j = 0; j <= 2 * CELLS; ++j)  // vertices, middles of edges, and of diagonals
        for (int i = 0; i <= 2 * CELLS; ++i, ++n) {
            at[n][0] = i / 2.0;
            at[n][1] = j / 2.0;
        }
    return n;
}

static char *next_line(char **text) {
    char *line = *text, *end = strchr(line, '\n');
    assert_non_null(end);
    *end = 0;
    *text = end + 1;
    return line;
}

// What karst query said of each place: a line of its height and a line of a ray down on it.
typedef struct said {
    ran heights, hits;
    char **height, **hit;
} said;

static said ask(double (*at)[2], int count, const char *pack) {
    const char *points = temp_path("points.csv"), *rays = temp_path("rays.csv");
    FILE *p = fopen(points, "w"), *r = fopen(rays, "w");
    for (int i = 0; i < count; ++i) {
        fprintf(p, "%.17g,%.17g\n", at[i][0], at[i][1]);
        fprintf(r, "%.17g,900,%.17g,0,%d,0\n", at[i][0], at[i][1], -1 - i % 3);
    }
    fclose(p);
    fclose(r);
    said s = {.heights = run_karst("query", "height", pack, "--points", points),
              .hits = run_karst("query", "ray", pack, "--rays", rays),
              .height = malloc(sizeof(char *) * (size_t)count),
              .hit = malloc(sizeof(char *) * (size_t)count)};
    assert_int_equal(s.heights.code, 0);
    assert_int_equal(s.hits.code, 0);
    char *h = s.heights.out, *t = s.hits.out;
    for (int i = 0; i < count; ++i) s.height[i] = next_line(&h), s.hit[i] = next_line(&t);
    assert_true(*h == 0 && *t == 0);
    return s;
}

static void said_free(said *s) {
    ran_free(&s->heights);
    ran_free(&s->hits);
    free(s->height);
    free(s->hit);
}

// Number of places where the three differ.
static int differences(const mesh *m, double (*at)[2], int count, const said *s, bool expected) {
    int none = 0, different = 0;
    for (int i = 0; i < count; ++i) {
        const char *height_line = s->height[i], *ray_line = s->hit[i];
        double y = 0, height = 0, n[4] = {0};
        bool there = brute_height(m, at[i][0], at[i][1], &y);
        bool has_height = sscanf(height_line, "%*f,%*f,%lf", &height) == 1;
        bool hit = sscanf(ray_line, "%lf,%lf,%lf,%lf", &n[0], &n[1], &n[2], &n[3]) == 4;
        none += !there;
        bool same = has_height == there && hit == there;
        if (there)
            same = same && fabs(height - y) <= 1e-4 && fabs(n[2] - height) <= 1e-4;
        else
            same = same && !strcmp(ray_line, "none");
        if (!same && !different++ && !expected)
            print_error("(%.17g, %.17g): export %d %.9g, height %s, ray %s\n", at[i][0], at[i][1], there, y,
                        height_line, ray_line);
    }
    assert_true(none > count / 100 && none < count / 2);
    return different;
}

static void rays_heights_and_export_are_one_ground(void **state) {
    (void)state;
    const char *pack = temp_path("truth.kpack"), *obj = temp_path("full.obj");
    karst_field *field;
    assert_int_equal(scene_rough_field(SIDE, SIDE, 1, 4, false, true, (karst_pos){0}, &field), KARST_OK);
    // Sharp shapes beside the rough ones: a pillar of one vertex and a hole of one cell.
    assert_int_equal(karst_field_write(field, (karst_rect){16, 16, 17, 17}, (const float[]){500}, NULL, NULL, 1),
                     KARST_OK);
    assert_int_equal(karst_field_write_holes(field, (karst_rect){20, 9, 21, 10}, (const uint8_t[]){1}, 1), KARST_OK);
    karst_bake_def def = karst_bake_def_default();
    karst_report report = {0};
    karst_bake_info info;
    assert_int_equal(karst_bake_field(field, pack, &def, NULL, &report, &info), KARST_OK);
    karst_field_destroy(field);
    ran r = run_karst("export", pack, obj);
    if (r.code) print_error("%s\n", r.err);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    mesh *m = malloc(sizeof *m);
    read_obj(obj, m);
    assert_true(m->count > CELLS * CELLS && m->count < TRIANGLES);
    double(*at)[2] = malloc(sizeof *at * (RANDOM + 4 * SIDE * SIDE));
    int count = make_places(at);
    said s = ask(at, count, pack);
    assert_int_equal(differences(m, at, count, &s, false), 0);
    // Controls: an export that is off by two tenths of a millimetre at one corner, and one with a triangle too few.
    m->all[700].p[1].y += 2e-4;
    assert_in_range(differences(m, at, count, &s, true), 1, 200);
    m->all[700].p[1].y -= 2e-4;
    m->in_bucket[0]--;
    assert_in_range(differences(m, at, count, &s, true), 1, 200);
    said_free(&s);
    free(at);
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rays_heights_and_export_are_one_ground)};
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
