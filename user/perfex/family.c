/* SPDX-License-Identifier: BSD-2-Clause */
/* See family.h. */
#include "user/perfex/family.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "user/perfex/counters.h"
#include "user/perfex/report.h"

#define NAME 32

struct relative {
    pid_t pid;
    unsigned long long started; /* with PID it is one process */
    char name[NAME];
    hwperf_cntr_t counted;
};

static struct relative *relatives;
static size_t relative_count;

/* /proc/PID/stat: its parent, when it began, its name. */
static bool family_stat(pid_t pid, pid_t *parent, struct relative *out)
{
    char path[32], line[512], *open_at, *close_at;
    FILE *file;
    bool read;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "r");
    if (!file)
        return false;
    read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    open_at = read ? strchr(line, '(') : NULL;
    close_at = read ? strrchr(line, ')') : NULL;
    if (!open_at || !close_at)
        return false;
    *close_at = '\0';
    snprintf(out->name, sizeof out->name, "%.*s", NAME - 1, open_at + 1);
    out->pid = pid;
    return sscanf(close_at + 1,
                  " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                  "%*d %*d %*d %llu",
                  parent, &out->started) == 2;
}

static struct relative *family_find(const struct relative *one)
{
    struct relative *more;

    for (size_t i = 0; i < relative_count; i++)
        if (relatives[i].pid == one->pid && relatives[i].started == one->started)
            return &relatives[i];
    more = realloc(relatives, (relative_count + 1) * sizeof *relatives);
    if (!more)
        return NULL;
    relatives = more;
    relatives[relative_count] = *one;
    return &relatives[relative_count++];
}

static void family_count(const struct relative *one)
{
    int fd = perfex_open(one->pid);
    struct relative *found;
    hwperf_cntr_t now;

    if (fd >= 0 && ioctl(fd, PIOCGETEVCTRS, &now) >= 0 && (found = family_find(one)) != NULL) {
        found->counted = now;
        memcpy(found->name, one->name, sizeof found->name);
    }
    if (fd >= 0)
        close(fd);
}

/* Whether PID descends from ROOT. */
static bool family_has(pid_t pid, pid_t root, struct relative *one)
{
    struct relative above;
    pid_t parent;

    if (!family_stat(pid, &parent, one))
        return false;
    while (pid != root && parent > 1) {
        pid = parent;
        if (pid != root && !family_stat(pid, &parent, &above))
            return false;
    }
    return pid == root;
}

void family_look(pid_t root)
{
    DIR *directory = opendir("/proc");
    struct relative one = {.pid = 0};
    struct dirent *entry;

    while (directory && (entry = readdir(directory)) != NULL)
        if (isdigit((unsigned char)*entry->d_name) &&
            family_has((pid_t)strtol(entry->d_name, NULL, 10), root, &one))
            family_count(&one);
    if (directory)
        closedir(directory);
}

/* By age: one that was seen late, in the middle of its fork, may be older than its neighbour. */
static int family_order(const void *one, const void *other)
{
    const struct relative *a = one, *b = other;

    if (a->started != b->started)
        return a->started < b->started ? -1 : 1;
    return a->pid < b->pid ? -1 : 1;
}

void family_report(const struct request *request, FILE *out)
{
    if (relative_count > 1)
        qsort(relatives, relative_count, sizeof *relatives, family_order);
    for (size_t i = 0; i < relative_count; i++) {
        struct counts counts = {request->args.hwp_evctrargs, relatives[i].counted};

        fprintf(out, "\nProcess %d (%s), as last seen\n\n", (int)relatives[i].pid,
                relatives[i].name);
        perfex_report(&counts, request->costs, out);
    }
}
