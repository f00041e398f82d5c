/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is not a program's: the kernel's memory, instructions of the kernel, and more processes than
 * its user may have. Which signal ends it is the machine's; that one does is the same on Linux and
 * Quipu.
 */
#include "conform.h"

#include <sys/mman.h>
#include <sys/resource.h>

/* STATEMENTS in a child that a signal of the machine's ends. */
#define REFUSED(...)                                                                               \
    do {                                                                                           \
        int end_ = 0;                                                                              \
        pid_t child_ = fork();                                                                     \
        if (child_ == 0) {                                                                         \
            __VA_ARGS__;                                                                           \
            _exit(0);                                                                              \
        }                                                                                          \
        waitpid(child_, &end_, 0);                                                                 \
        SAY("%s: %s\n", #__VA_ARGS__,                                                              \
            WIFSIGNALED(end_) && (WTERMSIG(end_) == SIGSEGV || WTERMSIG(end_) == SIGILL ||         \
                                  WTERMSIG(end_) == SIGBUS)                                        \
                ? "refused"                                                                        \
                : "done");                                                                         \
    } while (0)

#ifdef __mips__
#define KERNEL        0xffffffff80100000ul
#define KERNEL_ALL    0x9000000000100000ul /* all physical memory */
#define EXECUTE(x, m) __asm__ volatile(m ::: "memory")
#else
#define KERNEL        0xffffffff80100000ul
#define KERNEL_ALL    0xffff800000100000ul
#define EXECUTE(x, m) __asm__ volatile(x ::: "rax", "rcx", "rdx", "memory")
#endif

static volatile uint64_t sink;

static void memory(void)
{
    REFUSED(sink = *(volatile uint64_t *)KERNEL);
    REFUSED(*(volatile uint64_t *)KERNEL = 0);
    REFUSED(sink = *(volatile uint64_t *)KERNEL_ALL);
    REFUSED(*(volatile uint64_t *)KERNEL_ALL = 0);
    REFUSED(((void (*)(void))KERNEL)());
    REFUSED(sink = *(volatile uint8_t *)(KERNEL + 1));
    TEST(write(1, (void *)KERNEL, 8));
    TEST(read(open("/dev/zero", O_RDONLY), (void *)KERNEL_ALL, 8));
    TEST(mprotect((void *)KERNEL, 4096, PROT_READ));
    TEST(mmap((void *)KERNEL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
         MAP_FAILED);
}

/* Interrupts off; halt; another address space; a register of the machine, of its counters, read and
 * written; a device's port or the TLB;
 * who owns the FPU, or a line of the cache. */
static void instructions(void)
{
    REFUSED(EXECUTE("cli", "di"));
    REFUSED(EXECUTE("hlt", "wait"));
    REFUSED(EXECUTE("mov %%cr3, %%rax\n mov %%rax, %%cr3", "dmtc0 $0, $10"));
    REFUSED(EXECUTE("mov $0x10, %%ecx\n rdmsr", "mfc0 $2, $12"));
    REFUSED(EXECUTE("mov $0x186, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr",
                    "mtc0 $0, $25, 0"));
    REFUSED(EXECUTE("mov $0x186, %%ecx\n rdmsr", "mfc0 $2, $25, 0"));
    REFUSED(EXECUTE("mov $0x80, %%edx\n out %%al, %%dx", "tlbwr"));
    REFUSED(EXECUTE("clts", "cache 0, 0($0)")); /* not invd: QEMU 11.1 lets programs have it */
}

static int forked(void)
{
    pid_t child = fork();

    if (child == 0) {
        pause();
        _exit(0);
    }
    return child;
}

/* This one and two more, of a user of whom nothing else runs: this program may run twice at once.
 */
static void processes(void)
{
    struct rlimit limit = {3, 3};
    uid_t nobodys = 20000 + (uid_t)getpid() % 40000;

    CHILD({
        pid_t first, second;

        TEST(setgid(nobodys));
        TEST(setuid(nobodys));
        TEST(setrlimit(RLIMIT_NPROC, &limit));
        first = forked(), second = forked();
        TEST(first > 0 && second > 0);
        TEST(fork());
        kill(first, SIGKILL);
        waitpid(first, NULL, 0);
        first = forked();
        TEST(first > 0);
        TEST(fork());
        kill(first, SIGKILL);
        kill(second, SIGKILL);
    });
}

int main(void)
{
    memory();
    instructions();
    processes();
    return 0;
}
