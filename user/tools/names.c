/* SPDX-License-Identifier: BSD-2-Clause */
/* cp, mv, rm and mkdir: files by name. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools.h"

#define PATH_BYTES 4096

static bool names_is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Where NAME goes if TO is a directory. */
static const char *names_target(const char *name, const char *to, char *room)
{
    const char *slash = strrchr(name, '/');

    if (!names_is_directory(to))
        return to;
    snprintf(room, PATH_BYTES, "%s/%s", to, slash ? slash + 1 : name);
    return room;
}

static int copy_data(int in, int out)
{
    static char piece[65536];
    ssize_t got;

    while ((got = read(in, piece, sizeof piece)) > 0)
        for (ssize_t at = 0, done; at < got; at += done)
            if ((done = write(out, piece + at, (size_t)(got - at))) <= 0)
                return -1;
    return got < 0 ? -1 : 0;
}

static bool same_file(int in, const char *to)
{
    struct stat a, b;

    return fstat(in, &a) == 0 && stat(to, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int copy(const char *from, const char *to)
{
    struct stat status = {.st_mode = 0644};
    int in = open(from, O_RDONLY), out = -1, result = -1;

    if (in < 0) {
        tool_complain(from);
        return 1;
    }
    fstat(in, &status);
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    if (!S_ISDIR(status.st_mode) && !same_file(in, to))
        out = open(to, O_WRONLY | O_CREAT | O_TRUNC, status.st_mode & 0777);
    if (out >= 0)
        result = copy_data(in, out);
    if (result < 0)
        tool_complain(S_ISDIR(status.st_mode) ? from : to);
    close(in);
    if (out >= 0 && close(out) != 0)
        result = -1;
    return result < 0;
}

/* Between file systems: a copy, then the first one goes. */
static int move(const char *from, const char *to)
{
    if (rename(from, to) == 0)
        return 0;
    if (errno != EXDEV) {
        tool_complain(from);
        return 1;
    }
    if (copy(from, to) != 0)
        return 1;
    if (unlink(from) == 0)
        return 0;
    tool_complain(from);
    return 1;
}

static int names_each(int argc, char **argv, int (*each)(const char *from, const char *to),
                      const char *usage)
{
    char room[PATH_BYTES];
    int status = 0;

    if (getopt(argc, argv, "f") == '?' || argc - optind < 2)
        return tool_usage(usage);
    if (argc - optind > 2 && !names_is_directory(argv[argc - 1])) {
        errno = ENOTDIR;
        tool_complain(argv[argc - 1]);
        return 1;
    }
    for (int i = optind; i < argc - 1; i++)
        status |= each(argv[i], names_target(argv[i], argv[argc - 1], room));
    return status;
}

int cp_main(int argc, char **argv)
{
    return names_each(argc, argv, copy, "cp FILE ... TARGET");
}

int mv_main(int argc, char **argv)
{
    return names_each(argc, argv, move, "mv FILE ... TARGET");
}

static int rm_path(const char *path, bool all, bool force);

/* What is in a directory, then itself. */
static int rm_directory(const char *path, bool force)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    int status = 0;

    while (directory && (entry = readdir(directory))) {
        char inside[PATH_BYTES];

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) >= PATH_BYTES)
            continue; /* rmdir will say that it is still there */
        status |= rm_path(inside, true, force);
    }
    if (directory)
        closedir(directory);
    if (rmdir(path) == 0)
        return status;
    tool_complain(path);
    return 1;
}

static int rm_path(const char *path, bool all, bool force)
{
    struct stat status;

    if (lstat(path, &status) == 0 && all && S_ISDIR(status.st_mode))
        return rm_directory(path, force);
    if (unlink(path) == 0 || (force && errno == ENOENT))
        return 0;
    tool_complain(path);
    return 1;
}

int rm_main(int argc, char **argv)
{
    bool all = false, force = false;
    int option, status = 0;

    while ((option = getopt(argc, argv, "rRf")) != -1) {
        if (option == '?')
            return tool_usage("rm [-rf] FILE ...");
        all |= option != 'f';
        force |= option == 'f';
    }
    if (optind == argc && !force)
        return tool_usage("rm [-rf] FILE ...");
    for (int i = optind; i < argc; i++)
        status |= rm_path(argv[i], all, force);
    return status;
}

/* All directories on the way to PATH, too. */
static int make_path(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            if (mkdir(path, 0777) != 0 && !names_is_directory(path))
                return -1;
            *p = '/';
        }
    return mkdir(path, 0777) == 0 || names_is_directory(path) ? 0 : -1;
}

int mkdir_main(int argc, char **argv)
{
    bool parents = false;
    int option, status = 0;

    while ((option = getopt(argc, argv, "p")) != -1) {
        if (option == '?')
            return tool_usage("mkdir [-p] DIRECTORY ...");
        parents = true;
    }
    if (optind == argc)
        return tool_usage("mkdir [-p] DIRECTORY ...");
    for (int i = optind; i < argc; i++)
        if ((parents ? make_path(argv[i]) : mkdir(argv[i], 0777)) != 0) {
            tool_complain(argv[i]);
            status = 1;
        }
    return status;
}
