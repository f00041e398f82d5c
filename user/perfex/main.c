/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the program by the name that it was called by. */
#include <stdio.h>
#include <string.h>
#include "user/perfex/programs.h"

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} programs[] = {
    {"perfex", perfex_main},
    {"ecadmin", ecadmin_main},
    {"ecstats", ecstats_main},
    {"hinv", hinv_main},
};

int main(int argc, char **argv)
{
    const char *path = argc > 0 ? argv[0] : "", *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (strcmp(name, programs[i].name) == 0)
            return programs[i].main(argc, argv);
    fprintf(stderr, "%s: call it by one of the names", name);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        fprintf(stderr, " %s", programs[i].name);
    putc('\n', stderr);
    return 127;
}
