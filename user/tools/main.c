/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the tool by the name that the program was called by, or by the first argument. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} tools[] = {
    {"cat", cat_main},   {"cp", cp_main},   {"echo", echo_main},   {"grep", grep_main},
    {"head", head_main}, {"ls", ls_main},   {"mkdir", mkdir_main}, {"more", more_main},
    {"mv", mv_main},     {"rm", rm_main},   {"sh", sh_main},       {"sort", sort_main},
    {"tail", tail_main}, {"tee", tee_main}, {"wc", wc_main},
};

const char *tool_name;

void tool_complain(const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", tool_name, what, strerror(errno));
}

int tool_usage(const char *text)
{
    fprintf(stderr, "usage: %s\n", text);
    return 2;
}

int tool_finish(int status, int trouble)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    tool_complain("write error");
    return trouble;
}

bool tool_number(const char *text, unsigned long long *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0)
        return true;
    fprintf(stderr, "%s: bad number '%s'\n", tool_name, text);
    return false;
}

static int tool_run(const char *path, int argc, char **argv)
{
    const char *slash = strrchr(path, '/');

    tool_name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        if (strcmp(tools[i].name, tool_name) == 0)
            return tools[i].main(argc, argv);
    return -1;
}

int main(int argc, char **argv)
{
    int status = argc > 0 ? tool_run(argv[0], argc, argv) : -1;

    if (status < 0 && argc > 1)
        status = tool_run(argv[1], argc - 1, argv + 1);
    if (status >= 0)
        return status;
    fputs("usage: tools NAME [ARGUMENT ...]\nnames:", stderr);
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        fprintf(stderr, " %s", tools[i].name);
    fputc('\n', stderr);
    return 127;
}
