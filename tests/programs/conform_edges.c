/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a file ends under its mappings, where offsets end, and what is asked for besides. */
#include "conform.h"
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <time.h>

#define PAGE 4096L
#define END  INT64_MAX

static sigjmp_buf back;
static int code;

static void handler(int number, siginfo_t *info, void *unused)
{
    (void)number, (void)unused;
    code = info->si_code;
    siglongjmp(back, 1);
}

/* What is read there; -1 with SIGBUS. */
static int look(const volatile char *at)
{
    code = 0;
    return sigsetjmp(back, 1) == 0 ? *at : -1;
}

static char in_file(int fd, off_t at)
{
    char byte = '?';

    pread(fd, &byte, 1, at);
    return byte;
}

static char *map(int fd, int flags)
{
    return mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, flags, fd, 0);
}

/* Three pages of 'a' that every mapping has touched lose what is behind the first, and get it back.
 */
static void cut(int fd)
{
    char *shared, *private, *other;
    int status;

    TEST(ftruncate(fd, 3 * PAGE));
    for (int i = 0; i < 3; i++)
        TEST(pwrite(fd, "a", 1, i * PAGE));
    shared = map(fd, MAP_SHARED), other = map(fd, MAP_SHARED), private = map(fd, MAP_PRIVATE);
    for (int i = 0; i < 3; i++)
        TEST(look(shared + i * PAGE) + look(other + i * PAGE) + look(private + i * PAGE));
    private[PAGE] = 'p', private[1] = 'q';
    shared[PAGE + 1] = 's';
    TEST(ftruncate(fd, PAGE));
    for (int i = 0; i < 3; i++) {
        TEST(look(shared + i * PAGE));
        TEST(code);
        TEST(look(other + i * PAGE));
        TEST(look(private + i * PAGE));
        TEST(code);
    }
    TEST(look(private + 1));
    TEST(write(fd, shared + PAGE, 1));
    TEST(read(fd, other + PAGE, 1));
    TEST(ftruncate(fd, 3 * PAGE));
    for (int i = 0; i < 3; i++)
        TEST(look(shared + i * PAGE) + look(other + i * PAGE) + look(private + i * PAGE));
    shared[PAGE] = 'n';
    TEST(in_file(fd, PAGE));
    TEST(look(other + PAGE));
    TEST(pwrite(fd, "w", 1, 2 * PAGE));
    TEST(look(shared + 2 * PAGE));
    TEST(look(other + 2 * PAGE));
    TEST(look(private + 2 * PAGE));
    if (fork() == 0) {
        ftruncate(fd, 0);
        ftruncate(fd, 3 * PAGE);
        pwrite(fd, "N", 1, PAGE);
        _exit(look(shared + PAGE) == 'N');
    }
    TEST(wait(&status) > 0 && WEXITSTATUS(status));
    TEST(look(shared));
    TEST(look(shared + PAGE));
    shared[PAGE + 1] = 'L';
    TEST(in_file(fd, PAGE + 1));
    TEST(munmap(shared, 3 * PAGE) + munmap(other, 3 * PAGE) + munmap(private, 3 * PAGE));
}

static void holes(int fd)
{
    char *shared, *later, *private;

    TEST(ftruncate(fd, 0));
    TEST(ftruncate(fd, 3 * PAGE));
    shared = map(fd, MAP_SHARED);
    later = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, PAGE);
    shared[0] = shared[PAGE] = shared[2 * PAGE] = shared[PAGE - 1] = 'b';
    TEST(look(later) + look(later + PAGE));
    private = map(fd, MAP_PRIVATE);
    private[PAGE] = 'p';
    TEST(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, PAGE - 1, PAGE + 1));
    TEST(look(later));
    TEST(look(later + PAGE));
    TEST(look(private + PAGE)); /* a copy */
    TEST(look(shared));
    TEST(look(shared + PAGE - 1));
    TEST(look(shared + PAGE));
    TEST(look(shared + 2 * PAGE));
    shared[PAGE] = 'c';
    TEST(in_file(fd, PAGE));
    TEST(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, PAGE + 1, 10));
    TEST(look(shared + PAGE));
    TEST(look(later));
    TEST(ftruncate(fd, 2 * PAGE));
    TEST(look(later));
    TEST(look(later + PAGE));
    TEST(munmap(shared, 3 * PAGE) + munmap(later, 2 * PAGE) + munmap(private, 3 * PAGE));
}

static void ends(int fd)
{
    char byte = 'e';
    struct iovec vector = {.iov_base = &byte, .iov_len = 1};

    TEST(lseek(fd, END, SEEK_SET) == END);
    TEST(write(fd, &byte, 1));
    TEST(read(fd, &byte, 1));
    TEST(readv(fd, &vector, 1));
    TEST(pwrite(fd, &byte, 1, END));
    TEST(pread(fd, &byte, 1, END));
    TEST(pread(fd, &byte, 1, END - 1));
    TEST(posix_fallocate(fd, 0x7ffffffffffff000, PAGE));
    TEST(lseek(fd, 0, SEEK_SET));
    TEST(write(fd, &byte, (size_t)-1));
    TEST(pread(fd, &byte, (size_t)-1, 0));
    TEST(read(99, &byte, (size_t)-1));
}

static void asked(void)
{
    stack_t stack = {.ss_sp = &back, .ss_size = 65536, .ss_flags = SS_ONSTACK | SS_DISABLE};
    struct timespec time = {.tv_nsec = 1};
    struct statfs system;
    struct statx is;
    int ends_of_pipe[2], fd;

    TEST(pipe(ends_of_pipe));
    TEST(fstatfs(ends_of_pipe[0], &system) == 0 && system.f_type == 0x50495045);
    TEST((fd = openat(99, "/", O_RDONLY)) >= 0);
    TEST(close(fd));
    TEST((fd = openat(ends_of_pipe[0], "/", O_RDONLY | O_DIRECTORY)) >= 0);
    TEST(close(fd));
    TEST(openat(99, "tmp", O_RDONLY));
    TEST(openat(ends_of_pipe[0], "tmp", O_RDONLY));
    TEST(statx(AT_FDCWD, "/", 0, 0x80000000u, &is));
    TEST(statx(AT_FDCWD, "/", 0x6000, 0, &is));
    TEST(statx(AT_FDCWD, "/", 0x4000, 0, &is));
    TEST(sigaltstack(&stack, NULL));
    stack.ss_flags = SS_ONSTACK;
    TEST(sigaltstack(&stack, NULL));
    stack.ss_flags = SS_DISABLE;
    TEST(sigaltstack(&stack, NULL));
    TEST(clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &time, NULL) == EOPNOTSUPP);
    TEST(clock_nanosleep(CLOCK_MONOTONIC_COARSE, 0, &time, NULL) == EOPNOTSUPP);
    TEST(clock_nanosleep(CLOCK_REALTIME_COARSE, 0, &time, NULL) == EOPNOTSUPP);
    TEST(clock_nanosleep(CLOCK_BOOTTIME, 0, &time, NULL));
    TEST(close(ends_of_pipe[0]) + close(ends_of_pipe[1]));
}

/* What is locked already does not count again. */
static void locked(void)
{
    struct rlimit limit = {.rlim_cur = 3 * PAGE, .rlim_max = 3 * PAGE};
    char *memory = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    TEST(setrlimit(RLIMIT_MEMLOCK, &limit));
    TEST(setuid(1000));
    TEST(mlock(memory, 2 * PAGE));
    TEST(mlock(memory, 2 * PAGE));
    TEST(mlock(memory + PAGE, PAGE));
    TEST(mlock(memory + PAGE, 3 * PAGE));
    TEST(mlock(memory + PAGE, 2 * PAGE));
    TEST(mlock(memory + 4 * PAGE, PAGE));
    TEST(munlock(memory, PAGE));
    TEST(mlock(memory + 4 * PAGE, PAGE));
}

/* A program that holds a robust lock and executes another is dead to those who wait. */
static void robust(void)
{
    pthread_mutex_t *mutex =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *arguments[] = {"again", NULL};
    pthread_mutexattr_t how;
    int status;

    pthread_mutexattr_init(&how);
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
    TEST(pthread_mutex_init(mutex, &how));
    if (fork() == 0) {
        pthread_mutex_lock(mutex);
        execv("/proc/self/exe", arguments);
        _exit(1);
    }
    TEST(wait(&status) > 0 && WEXITSTATUS(status) == 7);
    TEST(pthread_mutex_trylock(mutex) == EOWNERDEAD);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    int fd;

    if (argc == 1 && strcmp(argv[0], "again") == 0)
        return 7;
    sigaction(SIGBUS, &action, NULL);
    fd = memfd_create("edges", 0); /* on a disk files end sooner */
    cut(fd);
    holes(fd);
    ends(fd);
    asked();
    robust();
    if (fork() == 0) {
        locked();
        _exit(0);
    }
    wait(NULL);
    return 0;
}
