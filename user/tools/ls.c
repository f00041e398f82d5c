/* SPDX-License-Identifier: BSD-2-Clause */
/* ls: names, one a line; -l with what is known of them. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "tools.h"

static struct {
    bool all, directory, inode, details;
} ls;

static void print_mode(mode_t mode)
{
    static const char types[] = "?pc?d?b?-?l?s???", letters[] = "rwxrwxrwx";
    char text[11] = {types[mode >> 12 & 15]};

    for (int i = 0; i < 9; i++)
        text[i + 1] = mode & (0400u >> i) ? letters[i] : '-';
    if (mode & S_ISUID)
        text[3] = mode & S_IXUSR ? 's' : 'S';
    if (mode & S_ISGID)
        text[6] = mode & S_IXGRP ? 's' : 'S';
    if (mode & S_ISVTX)
        text[9] = mode & S_IXOTH ? 't' : 'T';
    fputs(text, stdout);
}

static void print_details(const struct stat *status)
{
    char date[32];

    print_mode(status->st_mode);
    printf(" %3lu %4u %4u ", (unsigned long)status->st_nlink, status->st_uid, status->st_gid);
    if (S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode))
        printf("%4u, %4u", major(status->st_rdev), minor(status->st_rdev));
    else
        printf("%10llu", (unsigned long long)status->st_size);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M", gmtime(&status->st_mtime));
    printf(" %s ", date);
}

/* NAME as it is shown, PATH where it is: 0, or 2 and a line says why. */
static int print_entry(const char *path, const char *name)
{
    char target[4096];
    struct stat status;
    ssize_t length;

    if (lstat(path, &status) != 0) {
        tool_complain(path);
        return 2;
    }
    if (ls.inode)
        printf("%8llu ", (unsigned long long)status.st_ino);
    if (ls.details)
        print_details(&status);
    fputs(name, stdout);
    if (ls.details && S_ISLNK(status.st_mode) &&
        (length = readlink(path, target, sizeof target)) >= 0)
        printf(" -> %.*s", (int)length, target);
    putchar('\n');
    return 0;
}

static int is_shown(const struct dirent *entry)
{
    return ls.all || entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int list_directory(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_shown, by_name), status = 0;

    if (count < 0) {
        tool_complain(path);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char full[8192];

        snprintf(full, sizeof full, "%s/%s", path, name);
        if (!ls.details && !ls.inode)
            puts(name);
        else
            status |= print_entry(full, name);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int list(const char *path, bool title)
{
    struct stat status;

    if (ls.directory || stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return print_entry(path, path);
    if (title)
        printf("%s:\n", path);
    return list_directory(path);
}

int ls_main(int argc, char **argv)
{
    int option, status = 0;

    while ((option = getopt(argc, argv, "1adil")) != -1) {
        if (option == '?')
            return tool_usage("ls [-1adil] [FILE ...]");
        ls.all |= option == 'a';
        ls.directory |= option == 'd';
        ls.inode |= option == 'i';
        ls.details |= option == 'l';
    }
    if (optind == argc)
        status = list(".", false);
    for (int i = optind; i < argc; i++)
        status |= list(argv[i], argc - optind > 1);
    return tool_finish(status, 2);
}
