/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc tells of the system and of programs, where calls tell the same. */
#include "conform.h"
#include <dirent.h>
#include <elf.h>
#include <limits.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

static char text[1 << 16];

/* All of it, with a NUL behind it: its bytes, or -1. */
static long contents(const char *path)
{
    int fd = open(path, O_RDONLY);
    long all = 0, got;

    while (fd >= 0 && (got = read(fd, text + all, sizeof text - 1 - (size_t)all)) > 0)
        all += got;
    text[all] = '\0';
    if (fd < 0)
        return -1;
    close(fd);
    return all;
}

/* What the file at PATH says is TEXT and a newline. */
static int says(const char *path, const char *expected)
{
    long length = contents(path);

    return length == (long)strlen(expected) + 1 && memcmp(text, expected, strlen(expected)) == 0 &&
           text[length - 1] == '\n';
}

/* What stands behind "NAME:" and blanks in TEXT, up to the line's end. */
static const char *field(const char *name)
{
    static char found[256];
    const char *line = text;
    size_t length = strlen(name);

    while (line && !(strncmp(line, name, length) == 0 && line[length] == ':')) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    if (!line)
        return "?";
    line += length + 1;
    line += strspn(line, " \t");
    snprintf(found, sizeof found, "%.*s", (int)strcspn(line, "\n"), line);
    return found;
}

/* Word N of TEXT, from 1. */
static const char *word(int n)
{
    static char all[54][64];
    char *found = all[n];
    const char *at = text;

    while (--n > 0) {
        at += strcspn(at, " \n");
        at += strspn(at, " \n");
    }
    snprintf(found, sizeof all[0], "%.*s", (int)strcspn(at, " \n"), at);
    return found;
}

static void kernel_names(void)
{
    struct utsname names;

    TEST(uname(&names));
    TEST(says("/proc/sys/kernel/ostype", names.sysname));
    TEST(says("/proc/sys/kernel/osrelease", names.release));
    TEST(says("/proc/sys/kernel/version", names.version));
    TEST(says("/proc/sys/kernel/hostname", names.nodename));
    TEST(says("/proc/sys/kernel/domainname", names.domainname));
    TEST(contents("/proc/sys/kernel/pid_max") > 1 && atol(text) >= 32768);
    TEST(contents("/proc/sys/kernel/ngroups_max") > 1 && atol(text) == sysconf(_SC_NGROUPS_MAX));
    TEST(contents("/proc/sys/vm/overcommit_memory") == 2 && strchr("012", text[0]) != NULL);
    TEST(contents("/proc/sys/fs/pipe-max-size") > 1 && atol(text) == 1048576);
    TEST(contents("/proc/sys/kernel/random/uuid") == 37 && text[8] == '-' && text[14] == '4');
    TEST(contents("/proc/sys/kernel/random/boot_id") == 37 && text[36] == '\n');
    TEST(open("/proc/sys/kernel/ostype", O_WRONLY));
    TEST(open("/proc/sys/kernel/nothing", O_RDONLY));
}

static void loads(void)
{
    double averages[3] = {-1, -1, -1}, one, five, fifteen;
    unsigned running, threads, last;
    struct sysinfo info;

    TEST(getloadavg(averages, 3));
    TEST(averages[0] >= 0 && averages[1] >= 0 && averages[2] >= 0);
    TEST(contents("/proc/loadavg") > 10);
    TEST(sscanf(text, "%lf %lf %lf %u/%u %u", &one, &five, &fifteen, &running, &threads, &last));
    TEST(running >= 1 && threads >= running && last >= (unsigned)getpid());
    TEST(text[strlen(text) - 1] == '\n' && strchr(text, '.')[3] == ' ');
    TEST(sysinfo(&info));
    TEST(info.mem_unit >= 1 && info.totalram > info.freeram && info.procs >= 1);
    TEST(contents("/proc/meminfo") > 100);
    TEST(atoll(field("MemTotal")) == (long long)(info.totalram * info.mem_unit >> 10));
    TEST(atoll(field("MemFree")) > 0 && atoll(field("MemAvailable")) > 0);
    TEST(contents("/proc/uptime") > 7);
    TEST(labs(atol(text) - info.uptime) <= 2);
    TEST(contents("/proc/cpuinfo") > 20 && strncmp(text, "processor\t", 10) == 0 ||
         strstr(text, "processor\t") != NULL);
}

static const char *limit(const char *name)
{
    char *line = strstr(text, name);
    static char found[64];

    if (!line)
        return "?";
    snprintf(found, sizeof found, "%.*s", 41, line + 26);
    return found;
}

static void limits(void)
{
    struct rlimit files = {100, 200}, none = {RLIM_INFINITY, RLIM_INFINITY};

    CHILD({
        TEST(setrlimit(RLIMIT_NOFILE, &files));
        TEST(setrlimit(RLIMIT_CPU, &none));
        files.rlim_cur = 12345, files.rlim_max = 67890;
        TEST(setrlimit(RLIMIT_FSIZE, &files));
        TEST(contents("/proc/self/limits") > 1000);
        SAY("%.82s\n", text);
        SAY("[%s]\n", limit("Max open files"));
        SAY("[%s]\n", limit("Max cpu time"));
        SAY("[%s]\n", limit("Max file size"));
        SAY("%d lines\n", (int)(strlen(text) / 80));
    });
}

static void auxiliary(void)
{
    unsigned long *pair = (unsigned long *)text;
    long length = contents("/proc/self/auxv");

    TEST(length > 0 && length % 16 == 0);
    while (pair[0] != AT_NULL && pair[0] != AT_PAGESZ)
        pair += 2;
    SAY("AT_PAGESZ %lu\n", pair[1]);
    for (pair = (unsigned long *)text; pair[0] != AT_NULL && pair[0] != AT_ENTRY;)
        pair += 2;
    TEST(pair[0] == AT_ENTRY && pair[1] == getauxval(AT_ENTRY));
    for (pair = (unsigned long *)text; pair[0] != AT_NULL && pair[0] != AT_RANDOM;)
        pair += 2;
    TEST(pair[0] == AT_RANDOM && pair[1] == getauxval(AT_RANDOM));
}

static void status(void)
{
    TEST(contents("/proc/self/status") > 100);
    SAY("Name %s\n", field("Name"));
    SAY("State %s\n", field("State"));
    TEST(atol(field("Pid")) == getpid() && atol(field("Tgid")) == getpid());
    TEST(atol(field("PPid")) == getppid());
    SAY("TracerPid %s\n", field("TracerPid"));
    SAY("Umask %s\n", field("Umask"));
    SAY("Threads %s\n", field("Threads"));
    SAY("NoNewPrivs %s\n", field("NoNewPrivs"));
    CHILD({
        TEST(setresgid(7, 8, 9));
        TEST(setresuid(1, 2, 3));
        TEST(contents("/proc/self/status") > 100);
        SAY("Uid %s\n", field("Uid"));
        SAY("Gid %s\n", field("Gid"));
    });
    SAY("Cpus_allowed_list %s\n", field("Cpus_allowed_list")[0] == '0' ? "0..." : "?");
    TEST(prctl(PR_SET_NAME, "another"));
    TEST(says("/proc/self/comm", "another"));
    TEST(contents("/proc/self/status") > 100);
    SAY("Name %s\n", field("Name"));
    TEST(contents("/proc/self/stat") > 100);
    SAY("%s %s\n", word(2), word(3));
    TEST(atol(word(1)) == getpid());
    TEST(atol(word(4)) == getppid() && atol(word(5)) == getpgrp() && atol(word(6)) == getsid(0));
    TEST(atoi(word(19)) == getpriority(PRIO_PROCESS, 0) && atoi(word(18)) == 20 + atoi(word(19)));
    SAY("threads %s\n", word(20));
    TEST(atoi(word(38)) == SIGCHLD);
    TEST(strlen(word(52)) > 0 && strlen(word(53)) == 0);
    TEST(nice(39));
    TEST(contents("/proc/self/stat") > 100);
    SAY("priority %s nice %s\n", word(18), word(19));
    TEST(contents("/proc/self/statm") > 10);
    TEST(atol(word(1)) > atol(word(2)) && atol(word(2)) > 0 && strlen(word(7)) > 0);
}

/* What a program sees of its child. */
static void of_others(void)
{
    char *arguments[] = {"first", "", "third word", NULL}, *variables[] = {"A=1", "B=", NULL};
    char path[64], byte;
    int ready[2], go[2];
    pid_t child;

    pipe(ready), pipe(go);
    child = fork();
    if (child == 0) {
        dup2(go[0], 0);
        dup2(ready[1], 1);
        close(go[1]), close(ready[0]);
        execve("/proc/self/exe", arguments, variables);
        _exit(1);
    }
    TEST(read(ready[0], &byte, 1)); /* main has said so */
    snprintf(path, sizeof path, "/proc/%d/cmdline", child);
    TEST(contents(path));
    SAY("%s|%s|%s\n", text, text + 6, text + 7);
    snprintf(path, sizeof path, "/proc/%d/environ", child);
    TEST(contents(path));
    SAY("%s|%s\n", text, text + 4);
    snprintf(path, sizeof path, "/proc/%d/limits", child);
    TEST(contents(path) > 1000);
    snprintf(path, sizeof path, "/proc/%d/auxv", child);
    TEST(contents(path) > 100);
    snprintf(path, sizeof path, "/proc/%d/exe", child);
    TEST(readlink(path, text, sizeof text) == readlink("/proc/self/exe", text + 4096, 4096));
    snprintf(path, sizeof path, "/proc/%d/fd", child);
    TEST(access(path, R_OK));
    TEST(write(go[1], "", 1));
    TEST(waitpid(child, NULL, 0) == child);
    TEST(open(path, O_RDONLY));
}

static int listed(const char *path, const char *name)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    int found = 0;

    while (directory && (entry = readdir(directory)))
        found += strcmp(entry->d_name, name) == 0;
    closedir(directory);
    return found;
}

/* NAME is listed in the directory PATH once, by the number that stat gives. */
static int listed_as_is(const char *path, const char *name)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    struct stat is = {.st_ino = 0};
    int found = 0;

    while (directory && (entry = readdir(directory)))
        if (strcmp(entry->d_name, name) == 0 && ++found > 0)
            found += fstatat(dirfd(directory), name, &is, AT_SYMLINK_NOFOLLOW) != 0 ||
                             is.st_ino != entry->d_ino || IFTODT(is.st_mode) != entry->d_type
                         ? 100
                         : 0;
    closedir(directory);
    return found;
}

static ino_t number_of(const char *path)
{
    struct stat is;

    return stat(path, &is) == 0 ? is.st_ino : 0;
}

static int is_here(const char *path)
{
    char here[256];

    return getcwd(here, sizeof here) && strcmp(here, path) == 0;
}

static void directories(void)
{
    struct statfs system;
    struct stat is;
    int fd;

    TEST(listed("/proc", "loadavg") + listed("/proc", "sys") + listed("/proc/sys", "kernel"));
    TEST(listed("/proc/sys", "pid_max") + listed("/proc", "kernel") + listed("/proc/sys", "sys"));
    TEST(listed_as_is("/proc", "sys"));
    TEST(listed_as_is("/proc", "self"));
    TEST(listed_as_is("/proc", "uptime"));
    TEST(listed_as_is("/proc/sys", "kernel"));
    TEST(listed_as_is("/proc/sys/kernel", "random"));
    TEST(listed_as_is("/proc/sys/kernel", "ostype"));
    TEST(listed_as_is("/proc/sys/kernel/random", "uuid"));
    TEST(number_of("/proc/sys") != number_of("/proc/sys/kernel") && number_of("/proc/sys") > 1);
    TEST(number_of("/proc/sys") != number_of("/proc/sys/kernel/ostype"));
    TEST(number_of("/proc/sys/kernel") != number_of("/proc/sys/kernel/ostype"));
    TEST(number_of("/proc/sys/kernel") == number_of("/proc/sys/vm/../kernel/random/.."));
    TEST(chdir("/proc/sys/kernel/random"));
    TEST(is_here("/proc/sys/kernel/random"));
    TEST(access("uuid", R_OK) + access("../random/uuid", R_OK) + access("../../vm", X_OK));
    TEST(access("random", R_OK));
    TEST(chdir(".."));
    TEST(is_here("/proc/sys/kernel"));
    TEST(chdir("../.."));
    TEST(is_here("/proc"));
    TEST(stat(".", &is) == 0 && is.st_ino == 1 && S_ISDIR(is.st_mode) && (is.st_mode & 07777));
    TEST(is.st_mode & 07777);
    TEST(is.st_mtime > 1000000000);
    TEST(stat("uptime", &is) == 0 && is.st_mtime > 1000000000);
    TEST(stat("sys/kernel/ostype/", &is));
    TEST(stat("sys/kernel/ostype/deeper", &is));
    TEST(stat("sys/kernel/os", &is));
    TEST(stat("sys/kernel/ostype2", &is));
    TEST((fd = open("sys", O_RDONLY)) >= 0);
    TEST(read(fd, text, 1));
    TEST(pread(fd, text, 1, 0));
    TEST(close(fd));
    TEST((fd = open("self", O_RDONLY)) >= 0);
    TEST(read(fd, text, 1));
    TEST(close(fd));
    TEST(statfs(".", &system));
    TEST(system.f_type == 0x9fa0 && system.f_namelen == 255 && system.f_blocks == 0);
    TEST(chdir("/"));
    TEST(contents("/proc/self/mounts") > 0);
    TEST(contents("/proc/self/mountinfo") > 0);
}

int main(int argc, char **argv)
{
    char byte;

    if (argc == 3 && strcmp(argv[0], "first") == 0) {
        write(1, "", 1);
        return (int)read(0, &byte, 1) - 1;
    }
    umask(022);
    kernel_names();
    loads();
    limits();
    auxiliary();
    status();
    of_others();
    directories();
    return 0;
}
