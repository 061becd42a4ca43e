// SPDX-License-Identifier: MIT
// karst bench: measures, prints a table or JSON.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "bench.h"

#define BENCH_ENTRY(name) {#name, bench_##name},
static const struct {
    const char *name;
    bench_main *run;
} benches[] = {BENCH_LIST(BENCH_ENTRY)};
#define BENCH_WORD(name) " " #name
enum { BENCHES = sizeof benches / sizeof *benches };

// The processor's name as the system tells it, or "unknown".
static const char *cpu_name(void) {
    static char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    const char *found = "unknown";
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        colon[strcspn(colon, "\n")] = 0;
        found = colon[1] == ' ' ? colon + 2 : colon + 1;
        break;
    }
    if (f) fclose(f);
    return found;
}

static const char *vector_name(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw")) return "avx512";
    if (__builtin_cpu_supports("avx2")) return "avx2";
#endif
    return "baseline";
}

static cJSON *machine(void) {
    cJSON *m = cJSON_CreateObject();
    cJSON_AddStringToObject(m, "cpu", cpu_name());
    cJSON_AddNumberToObject(m, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN));
    cJSON_AddStringToObject(m, "vector", vector_name());
#if defined(__clang__)
    cJSON_AddStringToObject(m, "compiler", __VERSION__);
#else
    cJSON_AddStringToObject(m, "compiler", "gcc " __VERSION__);
#endif
    cJSON_AddStringToObject(m, "karst", karst_version_text());
    return m;
}

static cJSON *row_json(const bench_row *r) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "what", r->what);
    cJSON_AddNumberToObject(o, "value", r->value);
    cJSON_AddStringToObject(o, "unit", r->unit);
    if (r->peer) {
        cJSON_AddStringToObject(o, "peer", r->peer);
        if (isnan(r->peer_value))
            cJSON_AddNullToObject(o, "peer_value");
        else
            cJSON_AddNumberToObject(o, "peer_value", r->peer_value);
    }
    cJSON_AddNumberToObject(o, "runs", r->runs);
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->hash);
    if (r->hash) cJSON_AddStringToObject(o, "hash", hash);
    if (r->note) cJSON_AddStringToObject(o, "note", r->note);
    return o;
}

static void print_rows(const args *a, const bench *b) {
    say(a, "%s, %ld cores, %s\n", cpu_name(), sysconf(_SC_NPROCESSORS_ONLN), vector_name());
    say(a, "%-24s %14s %-8s %14s %8s  %s\n", "what", "value", "unit", "peer", "ratio", "note");
    for (int k = 0; k < b->row_count; ++k) {
        const bench_row *r = &b->row[k];
        char peer[32] = "", ratio[32] = "";
        if (r->peer && !isnan(r->peer_value)) {
            snprintf(peer, sizeof peer, "%.5g", r->peer_value);
            snprintf(ratio, sizeof ratio, "%.3f", r->value / r->peer_value);
        }
        say(a, "%-24s %14.5g %-8s %14s %8s  %s%s%s\n", r->what, r->value, r->unit, peer, ratio, r->peer ? r->peer : "",
            r->peer && r->note ? "; " : "", r->note ? r->note : "");
    }
}

static int run(args *a) {
    const char *name = a->positional[0];
    bench_main *fn = NULL;
    for (int k = 0; k < BENCHES; ++k)
        if (!strcmp(name, benches[k].name)) fn = benches[k].run;
    if (!fn) return say_usage(a, "no bench is called %s in this build; there are:%s", name, BENCH_LIST(BENCH_WORD));
    bench *b = calloc(1, sizeof *b);
    if (!b) return could_not(a, KARST_ERROR_MEMORY);
    b->quick = arg_flag(a, "--quick");
    b->jobs = a->jobs;
    b->report = &a->report;
    karst_status status = fn(b);
    if (!status) {
        cJSON_AddStringToObject(a->out, "bench", name);
        cJSON_AddItemToObject(a->out, "machine", machine());
        cJSON *rows = cJSON_AddArrayToObject(a->out, "rows");
        for (int k = 0; k < b->row_count; ++k) cJSON_AddItemToArray(rows, row_json(&b->row[k]));
        print_rows(a, b);
    }
    for (int k = 0; k < b->row_count; ++k) {
        bench_row *r = &b->row[k];
        const char *text[4] = {r->what, r->unit, r->peer, r->note};
        for (int t = 0; t < 4; ++t) free((void *)(uintptr_t)text[t]);
    }
    free(b);
    return status ? could_not(a, status) : EXIT_DONE;
}

static const option options[] = {
    {"--quick", NULL, "little work, for tests: the figures mean nothing"},
    {0},
};

const verb verb_bench = {
    .name = "bench",
    .usage = "NAME [options]",
    .summary = "Measure on this machine, beside other libraries where they are installed:" BENCH_LIST(BENCH_WORD) ".",
    .example = "karst bench rays\nkarst bench rays --json",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
