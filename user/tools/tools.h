/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The small tools of /bin: one program, which does what the name it is called by says. Options and
 * statuses are POSIX', as far as each usage line goes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define STATUS_TROUBLE 2 /* of grep and sort: an error, not an answer */

int cat_main(int argc, char **argv);
int cp_main(int argc, char **argv);
int echo_main(int argc, char **argv);
int grep_main(int argc, char **argv);
int head_main(int argc, char **argv);
int ls_main(int argc, char **argv);
int mkdir_main(int argc, char **argv);
int more_main(int argc, char **argv);
int mv_main(int argc, char **argv);
int rm_main(int argc, char **argv);
int sh_main(int argc, char **argv);
int sort_main(int argc, char **argv);
int tail_main(int argc, char **argv);
int tee_main(int argc, char **argv);
int wc_main(int argc, char **argv);

/* What we are called. */
extern const char *tool_name;
/* "NAME: WHAT: " and what errno says, on standard error. */
void tool_complain(const char *what);
/* "usage: TEXT"; returns 2. */
int tool_usage(const char *text);
/* What has been printed is written: STATUS, or an error's if that failed. */
int tool_finish(int status, int trouble);
/* A number that is all of TEXT and not negative; false, and a line says so. */
bool tool_number(const char *text, unsigned long long *number);

/* NAME for reading, "-" is standard input; NULL, and a line says why. */
FILE *tool_open(const char *name);
void tool_close(FILE *file);
/*
 * Calls EACH for every file named in argv[0..argc), for standard input if there are none; NAME is
 * "-" then. The worst of its results, and TROUBLE for a file that cannot be read.
 */
int tool_each_file(int argc, char **argv, int trouble,
                   int (*each)(FILE *file, const char *name, void *argument), void *argument);

/* A line of FILE without its newline (*ENDED: it had one); false at the end. LINE begins as zero.
 */
struct line {
    char *text; /* NUL-terminated; may hold other NULs */
    size_t length, room;
    bool ended;
};
bool line_read(struct line *line, FILE *file);
