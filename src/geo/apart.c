// SPDX-License-Identifier: MIT
// A process of its own: fork, limits, a file in memory for the answer, a pipe whose end says that it is over.
#define _GNU_SOURCE
#include "geo/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool kst_apart_write(int file, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size) {
        ssize_t n = write(file, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

// ---- the child -----------------------------------------------------------------------------------------

static uint64_t mapped_bytes(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%lu", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(int what, uint64_t value) {
    struct rlimit r = {value, value};
    setrlimit(what, &r);
}

// Faults end the process whatever handlers the caller had; nothing it prints is seen.
static void be_alone(const kst_apart_limits *limits) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGTERM};
    for (size_t k = 0; k < sizeof faults / sizeof *faults; ++k) signal(faults[k], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, limits->memory_bytes);
    limit(RLIMIT_CPU, (uint64_t)limits->seconds + 1);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these map the whole of memory
    limit(RLIMIT_AS, mapped_bytes() + limits->memory_bytes);
#else
    (void)mapped_bytes;
#endif
}

// ---- the parent ----------------------------------------------------------------------------------------

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Until the child ends; it is killed when it may not go on.
static karst_status wait_for(pid_t child, int pipe_end, double seconds, const karst_progress *progress, int *ended) {
    double begin = now_s(), spent = 0;
    karst_status status = KARST_OK;
    struct pollfd p = {.fd = pipe_end, .events = POLLIN};
    bool killed = false;
    for (;;) {
        bool over = poll(&p, 1, killed ? -1 : 20) > 0;  // the pipe has closed
        pid_t found = waitpid(child, ended, over ? 0 : WNOHANG);
        if (found == child || (found < 0 && errno != EINTR)) return status;
        if (killed) continue;
        spent = now_s() - begin;
        if (spent > seconds) status = KARST_ERROR_LIMIT;
        if (!status)
            status = kst_progress_step(progress, "read", spent / (spent + 2));  // how much is left, none can say
        if (status) killed = kill(child, SIGKILL) == 0;
    }
}

static karst_status map_answer(int file, const char *name, karst_report *report, kst_map *answer) {
    struct stat s;
    if (fstat(file, &s) || s.st_size <= 0)
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: nothing came of reading it", name);
    void *bytes = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", name);
    *answer = (kst_map){bytes, (size_t)s.st_size};
    return KARST_OK;
}

karst_status kst_apart_run(kst_apart_fn *fn, void *context, const kst_apart_limits *limits, const char *name,
                           const karst_progress *progress, karst_report *report, kst_map *answer) {
    int file = memfd_create("karst", MFD_CLOEXEC), ends[2] = {-1, -1}, ended = 0;
    if (file < 0 || pipe2(ends, O_CLOEXEC)) {
        if (file >= 0) close(file);
        return kst_fail(report, KARST_ERROR_MEMORY, "%s: no file handle is left to read it with", name);
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_alone(limits);
        fn(context, file);
        _exit(0);
    }
    close(ends[1]);
    karst_status status = KARST_OK;
    if (child < 0)
        status = kst_fail(report, KARST_ERROR_MEMORY, "%s: no process to read it in: %s", name, strerror(errno));
    else
        status = wait_for(child, ends[0], limits->seconds, progress, &ended);
    bool slow = WIFSIGNALED(ended) && (WTERMSIG(ended) == SIGXCPU);
    if (status == KARST_ERROR_LIMIT || (!status && slow))
        status = kst_fail(report, KARST_ERROR_LIMIT,
                          "%s: reading it took over %g s: allow more, or give a smaller file", name, limits->seconds);
    else if (status == KARST_ERROR_CANCELLED)
        kst_fail(report, status, "%s: stopped", name);
    else if (!status && (WIFSIGNALED(ended) || (WIFEXITED(ended) && WEXITSTATUS(ended))))
        status = kst_fail(report, KARST_ERROR_FORMAT,
                          "%s: its reader crashed on it (signal %d): it is damaged; write it again, or as .glb", name,
                          WIFSIGNALED(ended) ? WTERMSIG(ended) : 0);
    if (!status) status = map_answer(file, name, report, answer);
    close(file);
    close(ends[0]);
    return status;
}

void kst_apart_free(kst_map *answer) {
    if (answer->bytes) munmap((void *)(uintptr_t)answer->bytes, answer->size);
    *answer = (kst_map){0};
}
