/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory: mappings of all kinds, their rights and faults, brk, mremap, madvise, limits. */
#include "conform.h"
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define PAGE 4096l

static sigjmp_buf back;
static siginfo_t told;

static void fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    told = *info;
    siglongjmp(back, signal);
}

/* What touching ADDRESS does: 0, or the signal; its code. */
static void touch(const char *name, volatile char *at, int write)
{
    int signal = sigsetjmp(back, 1);

    if (signal == 0) {
        if (write)
            *at = 1;
        else
            (void)*at;
        SAY("%s %s: fine\n", name, write ? "write" : "read");
    } else {
        SAY("%s %s: signal %s code %d address %s\n", name, write ? "write" : "read",
            sigabbrev_np(signal), told.si_code, told.si_addr == at ? "right" : "wrong");
    }
}

static char *map(long pages, int rights, int flags)
{
    return mmap(NULL, (size_t)(pages * PAGE), rights, MAP_ANONYMOUS | flags, -1, 0);
}

static void requests(void)
{
    int fd = open("f", O_RDWR | O_CREAT, 0644), reading, writing;
    char *at = map(4, PROT_READ | PROT_WRITE, MAP_PRIVATE);

    ftruncate(fd, 2 * PAGE + 100);
    reading = open("f", O_RDONLY);
    writing = open("f", O_WRONLY);
    TEST(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    TEST(mmap(NULL, PAGE, PROT_READ, MAP_ANONYMOUS, -1, 0));
    TEST(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, -1, 0));
    TEST(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 1));
    TEST(mmap((void *)1, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    TEST(mmap(NULL, -1ul, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    TEST(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, writing, 0));
    TEST(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, writing, 0));
    TEST(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, reading, 0));
    WORKS((long)mmap(NULL, PAGE, PROT_WRITE, MAP_PRIVATE, reading, 0));
    TEST(mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
    TEST(mmap(at + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
         at + PAGE);
    TEST(munmap(at + 1, PAGE));
    TEST(munmap(at, 0));
    TEST(munmap(at, PAGE));
    TEST(munmap(at, PAGE));
    TEST(mprotect(at, PAGE, PROT_READ));
    TEST(mprotect(at + PAGE + 1, PAGE, PROT_READ));
    TEST(mprotect(at + PAGE, 0, PROT_READ));
    TEST(mprotect(at + PAGE, PAGE, 0x100));
    TEST(madvise(at + PAGE, PAGE, 99));
    TEST(madvise(at + PAGE + 1, PAGE, MADV_NORMAL));
    TEST(madvise(at, PAGE, MADV_DONTNEED));
    TEST(madvise(at + PAGE, PAGE, MADV_NORMAL));
    TEST(madvise(at + PAGE, PAGE, MADV_WILLNEED));
    TEST(madvise(at + PAGE, 0, MADV_DONTNEED));
    TEST(msync(at + PAGE, PAGE, MS_SYNC));
    TEST(msync(at, PAGE, MS_SYNC));
    TEST(msync(at + PAGE, PAGE, MS_SYNC | MS_ASYNC));
    TEST(msync(at + PAGE + 1, PAGE, MS_SYNC));
    TEST(msync(at + PAGE, PAGE, 64));
    munmap(at, 4 * PAGE);
    close(fd), close(reading), close(writing);
}

static void faults(void)
{
    char *at = map(4, PROT_READ, MAP_PRIVATE), *file;
    int fd = open("f", O_RDWR);

    touch("readable", at, 0);
    touch("readable", at, 1);
    mprotect(at, PAGE, PROT_NONE);
    touch("none", at, 0);
    mprotect(at, PAGE, PROT_READ | PROT_WRITE);
    touch("both", at, 1);
    munmap(at, PAGE);
    touch("unmapped", at, 0);
    touch("null", NULL, 0);
    touch("low", (char *)8, 1);
    file = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    touch("file", file + PAGE, 1);
    touch("file tail", file + 2 * PAGE + 200, 1);
    touch("behind file", file + 3 * PAGE, 0);
    TEST(pread(fd, at + PAGE, 1, 0));
    TEST(ftruncate(fd, 0));
    touch("cut", file, 0);
    TEST(ftruncate(fd, PAGE));
    touch("grown", file, 0);
    file[10] = 'x';
    char text[16] = "";
    TEST(pread(fd, text, 1, 10));
    SAY("%s\n", text);
    TEST(pwrite(fd, "y", 1, 11));
    SAY("%c\n", file[11]);
    munmap(file, 4 * PAGE);
    file = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    file[10] = 'p';
    TEST(pread(fd, text, 1, 10));
    SAY("%s %c\n", text, file[11]);
    munmap(file, PAGE);
    close(fd);
    munmap(at + PAGE, 3 * PAGE);
}

static void moves(void)
{
    char *at = map(8, PROT_READ | PROT_WRITE, MAP_PRIVATE), *new;
    unsigned char in[8];

    memset(at, 'a', 8 * PAGE);
    TEST(mremap(at, 8 * PAGE, 4 * PAGE, 0) == at);
    touch("cut off", at + 4 * PAGE, 0);
    TEST(mremap(at, 4 * PAGE, 8 * PAGE, 0) == at);
    SAY("%d\n", at[4 * PAGE]);
    TEST(mremap(at + 1, PAGE, PAGE, 0));
    TEST(mremap(at, PAGE, 0, 0));
    TEST(mremap(at, PAGE, PAGE, 2));
    TEST(mremap(at, PAGE, PAGE, 8));
    TEST(mremap(at, PAGE, PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, at));
    TEST(mremap(at, 2 * PAGE, 2 * PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, at + PAGE));
    TEST(mremap(at, PAGE, 3 * PAGE, 0)); /* no room behind */
    new = mremap(at, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
    SAY("%d %d\n", new != at &&new != MAP_FAILED, new[0]);
    touch("moved away", at, 0);
    TEST(mremap(at, PAGE, PAGE, MREMAP_MAYMOVE));
    munmap(new, 3 * PAGE);
    munmap(at, 8 * PAGE);
    at = map(8, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    at[0] = at[2 * PAGE] = 1;
    TEST(mincore(at, 4 * PAGE, in));
    SAY("%d %d %d\n", in[0] & 1, in[1] & 1, in[2] & 1);
    TEST(mincore(at + 1, PAGE, in));
    TEST(mincore(at, PAGE, (void *)8));
    TEST(madvise(at, PAGE, MADV_DONTNEED));
    SAY("%d\n", at[0]);
    munmap(at + PAGE, PAGE);
    TEST(mincore(at, 4 * PAGE, in));
    TEST(mlock(at, PAGE));
    TEST(munlock(at, PAGE));
    TEST(mlock(at, 3 * PAGE));
    TEST(munlock(at + PAGE, PAGE));
    TEST(mlockall(0));
    TEST(munlockall());
    munmap(at, 8 * PAGE);
}

static void breaks(void)
{
    char *old = sbrk(0);

    TEST(brk(old + 10 * PAGE));
    old[0] = old[9 * PAGE] = 7;
    TEST(brk(old + PAGE));
    TEST(brk(old + 10 * PAGE));
    SAY("%d %d\n", old[0], old[9 * PAGE]);
    TEST(brk(old));
    touch("behind brk", old + 10 * PAGE, 0);
    SAY("%d\n", (char *)syscall(SYS_brk, 0) == old);
    SAY("%d\n", (char *)syscall(SYS_brk, 1) == old);
}

static void shared(void)
{
    volatile int *common = (int *)map(1, PROT_READ | PROT_WRITE, MAP_SHARED);
    volatile int *own = (int *)map(1, PROT_READ | PROT_WRITE, MAP_PRIVATE);

    *common = *own = 1;
    CHILD(*common = 2, *own = 2);
    SAY("%d %d\n", *common, *own);
    TEST(madvise((void *)own, PAGE, MADV_DONTFORK));
    CHILD(SAY("there %d\n", msync((void *)own, PAGE, MS_ASYNC)));
    TEST(madvise((void *)own, PAGE, MADV_DOFORK));
    CHILD(SAY("there %d %d\n", msync((void *)own, PAGE, MS_ASYNC), *own));
    TEST(madvise((void *)own, PAGE, MADV_WIPEONFORK));
    CHILD(SAY("wiped %d\n", *own));
    SAY("%d\n", *own);
    TEST(madvise((void *)own, PAGE, MADV_KEEPONFORK));
    CHILD(SAY("kept %d\n", *own));
    TEST(madvise((void *)common, PAGE, MADV_WIPEONFORK));
    TEST(madvise((void *)own, PAGE, 22 /* MADV_POPULATE_READ */));
    TEST(madvise((void *)own, PAGE, 23 /* MADV_POPULATE_WRITE */));
    munmap((void *)own, PAGE);
    TEST(madvise((void *)own, PAGE, 22));
}

static void limits(void)
{
    struct rlimit space = {400 << 20, 400 << 20}, data = {1 << 20, RLIM_INFINITY};

    CHILD(setrlimit(RLIMIT_AS, &space);
          TEST(mmap(NULL, 500 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
          WORKS((long)mmap(NULL, 100 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
    CHILD(char *old = sbrk(0); setrlimit(RLIMIT_DATA, &data); TEST(brk(old + (8 << 20)));
          TEST(mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
    TEST(getrlimit(99, &space));
    TEST(getrlimit(RLIMIT_AS, (void *)8));
    space = (struct rlimit){2, 1};
    TEST(setrlimit(RLIMIT_AS, &space));
    CHILD(setuid(5); getrlimit(RLIMIT_CORE, &space); space.rlim_cur = space.rlim_max = 0;
          TEST(setrlimit(RLIMIT_CORE, &space)); space.rlim_max = 1;
          TEST(setrlimit(RLIMIT_CORE, &space)));
    CHILD(char deep[64]; struct rlimit stack = {1 << 20, RLIM_INFINITY};
          setrlimit(RLIMIT_STACK, &stack); signal(SIGSEGV, SIG_DFL);
          for (volatile char *at = deep;; at -= 1000) *at = 1);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO};

    conform_begin();
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    requests();
    faults();
    moves();
    breaks();
    shared();
    limits();
    unlink("f");
    return conform_end(0);
}
