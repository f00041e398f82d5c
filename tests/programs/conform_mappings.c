/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory: /dev/zero, locks and their limits, advice and its errors, mremap of what is shared, heap
 * and stack. */
#include "conform.h"
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define PAGE    4096L
#define NOTHING ((void *)0x30000000) /* nobody has mapped it */
#define MAPS(...)                                                                                  \
    do {                                                                                           \
        errno = 0;                                                                                 \
        void *at_ = mmap(__VA_ARGS__);                                                             \
        SAY("mmap(%s): %s %s\n", #__VA_ARGS__, at_ == MAP_FAILED ? "fails" : "works",              \
            at_ == MAP_FAILED ? strerrorname_np(errno) : "-");                                     \
    } while (0)
#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS)

static sigjmp_buf out;
static volatile int signal_was, code_was;

static void handler(int number, siginfo_t *info, void *context)
{
    (void)context;
    signal_was = number;
    code_was = info->si_code;
    siglongjmp(out, 1);
}

static void probe(const char *what, volatile char *at, int writes)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};

    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    if (sigsetjmp(out, 1) == 0) {
        if (writes)
            *at = 1;
        else
            (void)*at;
        SAY("%s: works\n", what);
    } else {
        SAY("%s: %s, code %d\n", what, sigabbrev_np(signal_was), code_was);
    }
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
}

static char *pages(long n)
{
    return mmap(NULL, (size_t)(n * PAGE), PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);
}

static void zero_device(void)
{
    int fd = open("/dev/zero", O_RDWR), reads = open("/dev/zero", O_RDONLY);
    volatile char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    volatile char *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    TEST(own != MAP_FAILED && shared != MAP_FAILED);
    if (own == MAP_FAILED || shared == MAP_FAILED)
        return;
    TEST(own[0] + shared[0] + own[PAGE - 1]);
    own[0] = shared[0] = 5;
    CHILD(own[0] = shared[0] = 9);
    TEST(own[0] * 10 + shared[0]);
    MAPS(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, reads, 0);
    MAPS(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, reads, 0);
    MAPS(NULL, PAGE, PROT_READ, MAP_SHARED, reads, 5 * PAGE);
    MAPS(NULL, PAGE, PROT_READ, MAP_PRIVATE, open("/dev/zero", O_WRONLY), 0);
    MAPS(NULL, PAGE, PROT_READ, MAP_PRIVATE, open("/dev/null", O_RDWR), 0);
    MAPS(NULL, PAGE, PROT_READ, MAP_SHARED_VALIDATE | MAP_ANONYMOUS, -1, 0);
    close(fd);
    close(reads);
}

static void advice(void)
{
    char *at = pages(4);
    unsigned char bytes[4];

    memset(at, 3, 4 * PAGE);
    TEST(madvise(at + PAGE, PAGE, MADV_DONTNEED));
    TEST(at[PAGE] == 0 && at[0] == 3);
    TEST(madvise(at, PAGE, MADV_REMOVE));
    TEST(mprotect(at, PAGE, PROT_READ));
    TEST(madvise(at, PAGE, 23 /* MADV_POPULATE_WRITE */));
    TEST(madvise(at, PAGE, 22 /* MADV_POPULATE_READ */));
    TEST(mprotect(at, PAGE, PROT_NONE));
    TEST(madvise(at, PAGE, 22));
    TEST(madvise(NOTHING, PAGE, 22));
    TEST(mincore(NOTHING, PAGE, bytes));
    TEST(msync(at, PAGE, MS_INVALIDATE));
    TEST(mprotect(at, PAGE, PROT_READ));
    TEST(mlock(at, PAGE));
    TEST(msync(at, PAGE, MS_INVALIDATE));
    TEST(msync(at, 4 * PAGE, MS_INVALIDATE | MS_SYNC));
    TEST(msync(at, PAGE, MS_SYNC));
    TEST(madvise(at, PAGE, MADV_DONTNEED));
    TEST(munlock(at, PAGE));
    munmap(at, 4 * PAGE);
}

static void locks(void)
{
    struct rlimit two = {2 * PAGE, 2 * PAGE}, none = {0, 0};
    char *at = pages(4);

    TEST(mlockall(0));
    TEST(mlockall(MCL_ONFAULT));
    TEST(mlockall(99));
    CHILD({
        setrlimit(RLIMIT_MEMLOCK, &two);
        setuid(1);
        TEST(mlock(at, 4 * PAGE));
        TEST(mlock(at, 2 * PAGE));
        TEST(mlock(at + 2 * PAGE, PAGE));
        TEST(mlockall(MCL_CURRENT));
        MAPS(NULL, 8 * PAGE, PROT_READ, ANONYMOUS | MAP_LOCKED, -1, 0);
        TEST(munlock(at, PAGE));
        MAPS(NULL, PAGE, PROT_READ, ANONYMOUS | MAP_LOCKED, -1, 0);
        TEST(munlockall());
        TEST(mlockall(MCL_FUTURE));
        MAPS(NULL, 2 * PAGE, PROT_READ, ANONYMOUS, -1, 0);
        MAPS(NULL, PAGE, PROT_READ, ANONYMOUS, -1, 0);
        TEST(sbrk(20 * PAGE) == (void *)-1);
        TEST(munlockall());
        MAPS(NULL, 4 * PAGE, PROT_READ, ANONYMOUS, -1, 0);
    });
    CHILD({
        setrlimit(RLIMIT_MEMLOCK, &none);
        TEST(mlock(at, PAGE)); /* root may */
        setuid(1);
        TEST(mlock(at, PAGE));
        TEST(mlockall(MCL_CURRENT));
        MAPS(NULL, PAGE, PROT_READ, ANONYMOUS | MAP_LOCKED, -1, 0);
        TEST(munlock(at, PAGE));
    });
    CHILD({
        TEST(mlockall(MCL_CURRENT | MCL_FUTURE));
        char *more = pages(1);
        TEST(madvise(more, PAGE, MADV_DONTNEED));
        TEST(madvise(at, PAGE, MADV_DONTNEED));
        TEST(munlockall());
        TEST(madvise(more, PAGE, MADV_DONTNEED));
    });
    munmap(at, 4 * PAGE);
}

static void remaps(void)
{
    int fd = open("f", O_RDWR | O_CREAT, 0600);
    char *at, *twin, *own = pages(3);

    ftruncate(fd, 3 * PAGE);
    at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    at[0] = 'x';
    twin = mremap(at, 0, 2 * PAGE, MREMAP_MAYMOVE);
    TEST(twin != at && twin[0] == 'x');
    at[1] = 'y';
    TEST(twin[1] == 'y');
    TEST(mremap(own, 0, PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
    TEST(mremap(own, PAGE, 0, MREMAP_MAYMOVE) == MAP_FAILED);
    TEST(mremap(own, PAGE, PAGE, MREMAP_FIXED, own + PAGE) == MAP_FAILED);
    TEST(mremap(own, 2 * PAGE, 2 * PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, own + PAGE) == MAP_FAILED);
    TEST(mremap(own + 1, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
    TEST(mremap(NOTHING, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
    TEST(mremap(own, 3 * PAGE, PAGE, 0) == own);
    probe("shrunk", own + PAGE, 0);
    at = mremap(at, 2 * PAGE, 5 * PAGE, MREMAP_MAYMOVE);
    probe("in the file", at + 2 * PAGE, 1);
    probe("behind it", at + 3 * PAGE, 0);
    ftruncate(fd, PAGE);
    probe("cut off", at + PAGE, 1);
    probe("its twin", twin + PAGE, 0);
    probe("the rest", at + PAGE - 1, 1);
    munmap(at, 5 * PAGE), munmap(twin, 2 * PAGE), munmap(own, PAGE);
    close(fd);
    unlink("f");
}

/* A store through a shared mapping is a change of the file; a private one's is not. */
static void times(void)
{
    struct timespec old[2] = {{5, 0}, {6, 0}};
    int fd = open("f", O_RDWR | O_CREAT, 0600);
    char *shared, *own;
    struct stat st;

    ftruncate(fd, 2 * PAGE);
    shared = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    own = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    futimens(fd, old);
    own[0] = 1;
    TEST(((volatile char *)shared)[0]);
    fstat(fd, &st);
    TEST(st.st_mtim.tv_sec == 6);
    shared[PAGE] = 1;
    fstat(fd, &st);
    TEST(st.st_mtim.tv_sec == 6);
    munmap(shared, 2 * PAGE), munmap(own, 2 * PAGE);
    close(fd);
    unlink("f");
}

static void heap_and_stack(void)
{
    struct rlimit space = {64 << 20, 64 << 20}, data = {1 << 20, 1 << 20};
    volatile char *end = sbrk(0);

    sbrk(3 * PAGE);
    end[0] = 1;
    end[2 * PAGE] = 9;
    brk((void *)(end + PAGE));
    brk((void *)(end + 3 * PAGE));
    TEST(end[2 * PAGE]);
    TEST(brk((void *)end));
    TEST(brk((void *)-1));
    CHILD({
        setrlimit(RLIMIT_DATA, &data);
        TEST(sbrk(4 << 20) == (void *)-1);
        MAPS(NULL, 4 << 20, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);
        MAPS(NULL, 4 << 20, PROT_READ, ANONYMOUS, -1, 0);
        MAPS(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    });
    CHILD({
        setrlimit(RLIMIT_AS, &space);
        MAPS(NULL, 100 << 20, PROT_READ, ANONYMOUS, -1, 0);
        MAPS(NULL, 10 << 20, PROT_READ, ANONYMOUS, -1, 0);
        TEST(sbrk(100 << 20) == (void *)-1);
    });
    CHILD({
        setrlimit(RLIMIT_STACK, &data);
        for (volatile char *at = (volatile char *)&data;; at -= PAGE)
            *at = 1;
    });
}

int main(void)
{
    conform_begin();
    zero_device();
    advice();
    locks();
    remaps();
    times();
    heap_and_stack();
    return conform_end(0);
}
