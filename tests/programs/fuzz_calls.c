/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A storm of system calls with arguments drawn by chance: fuzz_calls SEED MILLISECONDS [FIRST
 * [LAST]]. Children do it in batches, a few at a time, so that the end of one is not the end of
 * all. What they leave behind, processes and files, is removed, so that memory afterwards can be
 * compared to before. With a fifth word each call is named on standard error before it is made.
 */
#define FEW     200U /* names in a folder */
#define LASTING 100000
#define MQUEUE  "fuzz"
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fuzz_calls.h"
#include "fuzz_values.h"

#define BATCH    300 /* calls of a child */
#define TOGETHER 3   /* children */
#define PATIENCE 400 /* milliseconds */
#define TRACE    9   /* the descriptor of the trace */

static int protected_pid;
static int traced, nothing;          /* /dev/null */
static volatile unsigned long *done; /* calls, shared by all */

/* Nothing reaches the parent of all. */
static int harmless(const struct fuzz_call *call, uint64_t arguments[6])
{
    if (!call->reaches)
        return 1;
    for (unsigned i = 0; i < 3; i++) {
        int32_t who = (int32_t)arguments[i];

        if (who == protected_pid || who == -protected_pid || (who == -1 && i == 0))
            return 0;
        if (call->reaches > 1 && i < 2 && (who == 0 || who == 1) && arguments[0] <= 2)
            return 0; /* the own user's, all of them */
    }
    return 1;
}

static void one(void)
{
    const struct fuzz_call *call = &fuzz_calls[below(FUZZ_CALLS)];
    uint64_t arguments[6];

    if ((call->rare && below(40) != 0) || (call->missing && below(20) != 0))
        return;
    for (unsigned i = 0; i < 6; i++)
        arguments[i] = argument(call->kinds[0] ? call->kinds[i] : '*');
    if (strcmp(call->name, "mq_open") == 0)
        arguments[0] = (uint64_t)MQUEUE; /* a queue stays: its name has to be known */
    if (!harmless(call, arguments))
        return;
    if (dice == 0) /* its memory was written over */
        dice = (uint64_t)getpid();
    if (traced) {
        char line[200];
        int size = snprintf(line, sizeof line, "%d %s %lx %lx %lx %lx %lx %lx\n", getpid(),
                            call->name, arguments[0], arguments[1], arguments[2], arguments[3],
                            arguments[4], arguments[5]);

        (void)!write(TRACE, line, (size_t)size);
    }
    fuzz_call(call->number, arguments, call->forks);
    if (done)
        (*done)++;
}

static void caught(int signal)
{
    (void)signal;
}

static void *storm(void *argument_)
{
    dice = (uint64_t)argument_;
    for (unsigned i = 0; i < BATCH; i++) {
        static const struct itimerval soon = {{0, 3000}, {0, 3000}};

        if (i % 8 == 0) {
            setitimer(ITIMER_REAL, &soon, NULL);
            sigaction(SIGALRM, &(struct sigaction){.sa_handler = caught}, NULL);
        }
        for (unsigned n = 0; n < 16; n++)
            ((uint64_t *)arena)[below(ARENA / 8)] = any_value();
        if (below(100) == 0 && fork() == 0)
            i = BATCH - 10, dice ^= 0x5555;
        one();
    }
    return NULL;
}

static void child(uint64_t seed, int number)
{
    static const struct rlimit memory = {48 << 20, 48 << 20}, files = {40, 64}, few = {60, 60};
    int pair[2];
    pthread_t thread;

    dice = seed;
    setpgid(0, 0);
    for (int i = 0; i < 3; i++)
        dup2(nothing, i);
    close(nothing);
    arena = mmap(NULL, ARENA + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(arena + ARENA, 4096);
    constant = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mmap((void *)SCRATCH, PAGES * 4096, PROT_READ | PROT_WRITE,
         (number % 2 ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_NOFILE, &files);
    setrlimit(RLIMIT_NPROC, &few);
    mkdir("/tmp/fuzz", 0777);
    (void)!chdir("/tmp/fuzz");
    mkdir("d", 0777);
    open("a", O_RDWR | O_CREAT, 0666);
    open("d/b", O_RDWR | O_CREAT | O_APPEND, 0666);
    open("d", O_RDONLY);
    (void)!symlink("d/d", "l");
    mkfifo("p", 0666);
    open("p", O_RDWR | O_NONBLOCK);
    (void)!pipe(pair);
    (void)!pipe2(pair, O_NONBLOCK);
    open("/proc/self/maps", O_RDONLY);
    open("/dev/zero", O_RDWR);
    if (number == 1)
        (void)!setuid(1000);
    if (below(3) == 0)
        pthread_create(&thread, NULL, storm, (void *)draw());
    storm((void *)draw());
    _exit(0);
}

static int is_ours(const char *name)
{
    return name[0] >= '1' && name[0] <= '9' && atoi(name) != getpid();
}

/* Every other process is ended: there is nobody else here. */
static unsigned end_all(void)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    unsigned count = 0;

    while (processes && (entry = readdir(processes)))
        if (is_ours(entry->d_name) && kill(atoi(entry->d_name), SIGKILL) == 0)
            count++;
    if (processes)
        closedir(processes);
    while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
        ;
    return count;
}

/* For the report: who is still there. */
static void tell_all(void)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    char name[300], text[400];

    while (processes && (entry = readdir(processes))) {
        snprintf(name, sizeof name, "/proc/%s/stat", entry->d_name);
        if (is_ours(entry->d_name)) {
            int fd = open(name, O_RDONLY);
            ssize_t size = read(fd, text, sizeof text);

            printf("%.*s", size > 0 ? (int)size : 0, text);
            close(fd);
        }
    }
    if (processes)
        closedir(processes);
}

static void nap(unsigned ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void remove_all(const char *path)
{
    DIR *folder;
    struct dirent *entry;
    char name[600];

    if (unlink(path) == 0 || errno != EISDIR)
        return;
    folder = opendir(path);
    while (folder && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
            remove_all(name);
        }
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* Where root can make files: by another's symbolic link /dev may be the folder that it is in. */
static struct folder {
    const char *path;
    unsigned count;
    struct {
        char *name;
        struct stat status;
    } entries[FEW]; /* what was there in the beginning */
} folders[] = {{.path = "/dev/shm"}, {.path = "/dev"}, {.path = "/tmp"}};

static void in_folder(char *path, size_t size, const struct folder *folder, const char *name)
{
    snprintf(path, size, "%s/%s", folder->path, name);
}

/* Not what has come under the name of something that was. */
static int was_there(const struct folder *folder, const char *name, const struct stat *now)
{
    for (unsigned i = 0; i < folder->count; i++) {
        const struct stat *then = &folder->entries[i].status;

        if (strcmp(folder->entries[i].name, name) == 0)
            return then->st_ino == now->st_ino && then->st_rdev == now->st_rdev &&
                   (then->st_mode & S_IFMT) == (now->st_mode & S_IFMT);
    }
    return 0;
}

static void note(struct folder *folder, const char *name)
{
    char path[600];

    if (folder->count == FEW) {
        fprintf(stderr, "fuzz_calls: more than %u names in %s\n", FEW, folder->path);
        exit(2);
    }
    in_folder(path, sizeof path, folder, name);
    lstat(path, &folder->entries[folder->count].status);
    folder->entries[folder->count++].name = strdup(name);
}

static void remove_new(struct folder *folder, const char *entry)
{
    char path[600];
    struct stat now;

    in_folder(path, sizeof path, folder, entry);
    if (strcmp(entry, ".") == 0 || strcmp(entry, "..") == 0 || lstat(path, &now) != 0 ||
        was_there(folder, entry, &now))
        return;
    remove_all(path);
    if (lstat(path, &now) == 0)
        printf("fuzz_calls: %s cannot be removed\n", path);
}

static void each_name(void (*act)(struct folder *folder, const char *entry))
{
    for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++) {
        DIR *open_folder = opendir(folders[i].path);
        struct dirent *entry;

        while (open_folder && (entry = readdir(open_folder)))
            act(&folders[i], entry->d_name);
        if (open_folder)
            closedir(open_folder);
    }
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Some children at a time, until they end or PATIENCE does. */
static unsigned round_of(uint64_t seed, uint64_t round)
{
    unsigned left = TOGETHER, tries = 0;

    for (int i = 0; i < TOGETHER; i++)
        if (fork() == 0)
            child(seed_of(seed, round, (uint64_t)i), i);
    for (unsigned waited = 0; left > 0 && waited < PATIENCE; waited += 2) {
        while (left > 0 && waitpid(-1, NULL, WNOHANG | __WALL) > 0)
            left--;
        nap(2);
    }
    while (end_all() > 0 && ++tries < 500)
        nap(2);
    each_name(remove_new);
    return tries < 500;
}

/* Each call by name is counted in memory of its own from the first time on. */
static void every_call(void)
{
    for (unsigned i = 0; i < FUZZ_CALLS; i++)
        if (fork() == 0) {
            uint64_t bad[6] = {~0ul, ~0ul, ~0ul, ~0ul, ~0ul, ~0ul};

            alarm(1);
            fuzz_call(fuzz_calls[i].number, bad, fuzz_calls[i].forks);
            _exit(0);
        } else {
            wait(NULL);
        }
}

/* All pages of the program: the kernel keeps those that were ever looked at. */
static void touch_all(void)
{
    extern char __executable_start, edata;

    int ends[2];
    char byte;

    (void)!pipe(ends);
    for (char *at = &__executable_start; at < &edata; at += 4096)
        if (write(ends[1], at, 1) == 1) /* there are holes */
            (void)!read(ends[0], &byte, 1);
    close(ends[0]);
    close(ends[1]);
}

/* What outlives its makers: numbers are given from 0 on. */
static void remove_lasting(void)
{
    for (int id = 0; id < LASTING; id++) {
        syscall(SYS_shmctl, id, IPC_RMID, NULL);
        syscall(SYS_msgctl, id, IPC_RMID, NULL);
        syscall(SYS_semctl, id, 0, IPC_RMID, 0);
    }
    syscall(SYS_mq_unlink, MQUEUE);
}

int main(int count, char **words)
{
    uint64_t seed, end, round, last;

    if (count < 3)
        return 2;
    protected_pid = getpid();
    nothing = open("/dev/null", O_RDWR);
    seed = strtoull(words[1], NULL, 0);
    round = count > 3 ? strtoull(words[3], NULL, 0) : 0;
    last = count > 4 ? strtoull(words[4], NULL, 0) : UINT64_MAX;
    each_name(note);
    traced = count > 5;
    if (traced)
        dup2(2, TRACE);
    done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    touch_all();
    every_call();
    end = now_ms() + strtoull(words[2], NULL, 0);
    for (; round <= last && now_ms() < end; round++)
        if (!round_of(seed, round)) {
            printf("fuzz_calls: seed %lu round %lu: processes do not end\n", seed, round);
            tell_all();
            return 1;
        }
    remove_lasting();
    printf("\nfuzz_calls: seed %lu, %lu rounds, %lu calls\n", seed, round, *done);
    return 0;
}
