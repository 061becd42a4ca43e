// SPDX-License-Identifier: MIT
// The command line: multi-resolution meshes read and told about.
#include "mrm_io.h"

int mrm_open(args *a, const char *path, karst_mrm **out) {
    karst_status status = karst_mrm_open(path, NULL, &a->report, out);
    return status ? could_not(a, status) : EXIT_DONE;
}

void mrm_tell(args *a, const char *path, const karst_mrm *mrm) {
    karst_mrm_info i = karst_mrm_describe(mrm);
    const karst_model *m = karst_mrm_model(mrm);
    double source = 32.0 * i.wedges + 12.0 * i.triangles;
    cJSON *o = a->out;
    cJSON_AddStringToObject(o, "file", path);
    cJSON_AddNumberToObject(o, "vertices", i.vertices);
    cJSON_AddNumberToObject(o, "wedges", i.wedges);
    cJSON_AddNumberToObject(o, "triangles", i.triangles);
    cJSON_AddNumberToObject(o, "least_vertices", i.least_vertices);
    cJSON_AddNumberToObject(o, "least_triangles", i.least_triangles);
    cJSON_AddBoolToObject(o, "is_least_right", i.is_least_right);
    cJSON_AddBoolToObject(o, "moves", i.moves);
    cJSON_AddNumberToObject(o, "ranges", i.ranges);
    cJSON_AddNumberToObject(o, "materials", m->material_count);
    cJSON_AddNumberToObject(o, "joints", m->joint_count);
    cJSON_AddNumberToObject(o, "record_bytes", (double)i.record_bytes);
    cJSON_AddNumberToObject(o, "sorting_bytes", (double)i.sorting_bytes);
    say(a, "%s: %u vertices, %u wedges, %u triangles\n", path, i.vertices, i.wedges, i.triangles);
    say(a, "  least level    %u vertices, %u triangles%s\n", i.least_vertices, i.least_triangles,
        i.is_least_right ? ": the least that is still exact" : "");
    say(a, "  records        %llu bytes, %.2f of vertices and indices%s\n", (unsigned long long)i.record_bytes,
        (double)i.record_bytes / source, i.moves ? "; vertices move" : "");
    say(a, "  sorting        %llu bytes, %u ranges\n", (unsigned long long)i.sorting_bytes, i.ranges);
    int count;
    const karst_mrm_level *curve = karst_mrm_curve(mrm, &count);
    cJSON *rows = cJSON_AddArrayToObject(o, "curve");
    say(a, "  triangles  error m\n");
    for (int k = count - 1; k >= 0; --k) {
        cJSON *row = cJSON_CreateObject();
        cJSON_AddNumberToObject(row, "vertices", curve[k].vertices);
        cJSON_AddNumberToObject(row, "triangles", curve[k].triangles);
        cJSON_AddNumberToObject(row, "error_m", (double)curve[k].error_m);
        cJSON_AddItemToArray(rows, row);
        if ((count - 1 - k) % (count / 12 + 1) == 0 || !k)
            say(a, "  %9u  %.4g\n", curve[k].triangles, (double)curve[k].error_m);
    }
}

int mrm_info(args *a, const char *path) {
    karst_mrm *mrm;
    int result = mrm_open(a, path, &mrm);
    if (result) return result;
    cJSON_AddStringToObject(a->out, "kind", "multi-resolution mesh");
    mrm_tell(a, path, mrm);
    karst_mrm_destroy(mrm);
    return EXIT_DONE;
}
