/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that a tool reads, and their lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools.h"

/* fopen takes a directory, reading it fails: say so before anything is printed. */
static bool is_directory(FILE *file)
{
    struct stat status;

    return fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode);
}

FILE *tool_open(const char *name)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");

    if (file && is_directory(file)) {
        tool_close(file);
        file = NULL;
        errno = EISDIR;
    }
    if (!file)
        tool_complain(name);
    return file;
}

void tool_close(FILE *file)
{
    if (file != stdin)
        fclose(file);
}

static int tool_file(const char *name, int trouble,
                     int (*each)(FILE *file, const char *name, void *argument), void *argument)
{
    FILE *file = tool_open(name);
    int status;

    if (!file)
        return trouble;
    errno = 0;
    status = each(file, name, argument);
    if (ferror(file)) {
        tool_complain(name);
        status = trouble;
    }
    tool_close(file);
    return status;
}

int tool_each_file(int argc, char **argv, int trouble,
                   int (*each)(FILE *file, const char *name, void *argument), void *argument)
{
    int status = 0;

    if (argc == 0)
        return tool_file("-", trouble, each, argument);
    for (int i = 0; i < argc; i++) {
        int result = tool_file(argv[i], trouble, each, argument);

        if (result > status)
            status = result;
    }
    return status;
}

bool line_read(struct line *line, FILE *file)
{
    ssize_t got = getline(&line->text, &line->room, file);

    if (got < 0)
        return false;
    line->length = (size_t)got;
    line->ended = got > 0 && line->text[got - 1] == '\n';
    if (line->ended)
        line->text[--line->length] = '\0';
    return true;
}
