// SPDX-License-Identifier: MIT
// The command line: export of nets of patches.
#include "export_net.h"

#include "both.h"
#include "karst/pack.h"
#include "net_edit.h"
#include "net_level.h"

static bool world_lacks_field(const char *path) {
    karst_project *project;
    bool alone = false;
    if (karst_project_open(path, KARST_PROJECT_READ, NULL, &project)) return false;
    bool lacks = !net_stands_alone(project, &alone) && alone;
    karst_project_close(project);
    return lacks;
}

static export_what of_pack(const char *path) {
    karst_pack *pack;
    if (karst_pack_open(path, NULL, &pack)) return EXPORT_FIELD;
    karst_pack_info info = karst_pack_info_of(pack);
    const karst_field_shape *s = &info.lattice.shape;
    bool all_hole = info.hole_count == (uint64_t)(s->columns - 1) * (uint64_t)(s->rows - 1);
    bool has_net = karst_pack_zone_count(pack) > 0, meets = karst_pack_seam_count(pack) > 0;
    karst_pack_close(pack);
    return all_hole && has_net ? EXPORT_NET : meets ? EXPORT_BOTH : EXPORT_FIELD;
}

export_what export_choose(args *a, const char *path, bool world) {
    if (arg_flag(a, "--net")) return EXPORT_NET;
    return !world ? of_pack(path) : world_lacks_field(path) ? EXPORT_NET : EXPORT_FIELD;
}

// *pack: NULL: of a world.
static karst_status read_zones(args *a, const char *path, bool world, karst_pack **pack, zone_set *out) {
    karst_net *net = NULL;
    karst_status status;
    if (world) {
        status = net_look(a, path, &net);
        if (!status) status = zone_set_cut(net, &a->progress, &a->report, out);
    } else {
        karst_pack_def def = karst_pack_def_default();
        def.report = &a->report;
        status = karst_pack_open(path, &def, pack);
        if (!status && !karst_pack_zone_count(*pack))
            status = kst_fail(&a->report, KARST_ERROR_UNSUPPORTED, "%s: holds no net of patches", path);
        if (!status) status = zone_set_read(*pack, &a->progress, &a->report, out);
    }
    karst_net_destroy(net);
    return status;
}

karst_status export_net(args *a, const char *path, bool world, export_what what, const char *out, bool *usage,
                        karst_export_info *info) {
    int level = (int)arg_int(a, "--level", 0, 0, NET_LEVEL_MAX, usage);
    zone_set set = {0};
    net_level net;
    both all;
    karst_pack *pack = NULL;
    if (what == EXPORT_BOTH && level > NET_LEVEL_TILES && !*usage)
        *usage = say_usage(a, "--level %d: leaves out vertices that the field has where both meet; 0 to %d, or --net",
                           level, NET_LEVEL_TILES);
    if (*usage) return KARST_ERROR_ARGUMENT;
    karst_status status = read_zones(a, path, world, &pack, &set);
    if (!status) {
        const karst_ground *ground = net_level_make(&net, &set, level);
        if (what == EXPORT_BOTH) ground = both_make(&all, karst_pack_ground(pack), ground, NULL);
        status = karst_geo_export_ground(ground, out, &a->progress, &a->report, info);
    }
    zone_set_free(&set);
    karst_pack_close(pack);
    return status;
}
