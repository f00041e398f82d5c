/* SPDX-License-Identifier: BSD-2-Clause */
/* hinv: lists the hardware as the shell's hinv does, from /proc/inventory: hinv(1). */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "user/perfex/programs.h"

#define FILE_NAME "/proc/inventory"
#define LINE      256
#define USAGE     2

static _Noreturn void hinv_usage(void)
{
    fprintf(stderr, "usage: hinv [-c CLASS]\n");
    exit(USAGE);
}

static _Noreturn void hinv_fail(const char *what)
{
    fprintf(stderr, "hinv: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* A line is a class, a tab, and what is printed. Whether any is of CLASS; NULL: all are. */
static bool hinv_print(FILE *file, const char *class)
{
    bool any = false;
    char line[LINE], *tab;

    while (fgets(line, sizeof line, file)) {
        tab = strchr(line, '\t');
        if (!tab)
            continue;
        *tab = '\0';
        if (class && strcmp(class, line) != 0)
            continue;
        fputs(tab + 1, stdout);
        any = true;
    }
    return any;
}

int hinv_main(int argc, char **argv)
{
    const char *class = NULL;
    bool any;
    FILE *file;
    int option;

    while ((option = getopt(argc, argv, "+c:")) >= 0) {
        if (option != 'c')
            hinv_usage();
        class = optarg;
    }
    if (optind < argc)
        hinv_usage();
    file = fopen(FILE_NAME, "r");
    if (!file)
        hinv_fail(FILE_NAME);
    any = hinv_print(file, class);
    if (ferror(file))
        hinv_fail(FILE_NAME);
    fclose(file);
    if (fflush(stdout) != 0)
        hinv_fail("output");
    if (!any)
        fprintf(stderr, "hinv: nothing of class %s\n", class ? class : "any");
    return any ? 0 : 1;
}
