/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses at addresses that are no multiples of their size. This machine does them itself; a MIPS
 * leaves them to its kernel, in a branch's delay slot too. The same on Linux and Quipu.
 */
#include "conform.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096

static unsigned char *bytes;

#ifdef __mips__
#define LOAD(instruction, type, from)                                                              \
    ({                                                                                             \
        int64_t loaded_;                                                                           \
        __asm__ volatile(instruction " %0, 0(%1)" : "=r"(loaded_) : "r"(from) : "memory");         \
        loaded_;                                                                                   \
    })
#define STORE(instruction, type, to, value)                                                        \
    __asm__ volatile(instruction " %0, 0(%1)" : : "r"((int64_t)(value)), "r"(to) : "memory")
#define LOAD_CP1(instruction, move, type, from)                                                    \
    ({                                                                                             \
        int64_t loaded_;                                                                           \
        __asm__ volatile(instruction " $f4, 0(%1)\n " move " %0, $f4"                              \
                         : "=r"(loaded_)                                                           \
                         : "r"(from)                                                               \
                         : "memory", "$f4");                                                       \
        loaded_;                                                                                   \
    })
#define STORE_CP1(instruction, move, type, to, value)                                              \
    __asm__ volatile(move " %0, $f4\n " instruction " $f4, 0(%1)"                                  \
                     :                                                                             \
                     : "r"((int64_t)(value)), "r"(to)                                              \
                     : "memory", "$f4")
#else
#define LOAD(instruction, type, from)                 ((int64_t)(*(const volatile type *)(from)))
#define STORE(instruction, type, to, value)           (*(volatile type *)(to) = (type)(value))
#define LOAD_CP1(instruction, move, type, from)       LOAD(instruction, type, from)
#define STORE_CP1(instruction, move, type, to, value) STORE(instruction, type, to, value)
#endif

/* What the bytes at FROM are, one by one. */
#define RIGHT(type, from)                                                                          \
    ({                                                                                             \
        type right_;                                                                               \
        memcpy(&right_, from, sizeof right_);                                                      \
        right_;                                                                                    \
    })

static void loads(const unsigned char *from)
{
    TEST(LOAD("lh", int16_t, from) == RIGHT(int16_t, from));
    TEST(LOAD("lhu", uint16_t, from) == RIGHT(uint16_t, from));
    TEST(LOAD("lw", int32_t, from) == RIGHT(int32_t, from));
    TEST(LOAD("lwu", uint32_t, from) == RIGHT(uint32_t, from));
    TEST(LOAD("ld", int64_t, from) == RIGHT(int64_t, from));
    TEST(LOAD_CP1("lwc1", "mfc1", int32_t, from) == RIGHT(int32_t, from));
    TEST(LOAD_CP1("ldc1", "dmfc1", int64_t, from) == RIGHT(int64_t, from));
}

/* VALUE's bytes at TO, and what is beside them. */
#define STORED(store, type, to, value)                                                             \
    do {                                                                                           \
        memset(bytes, 0x5a, 32);                                                                   \
        store;                                                                                     \
        TEST(RIGHT(type, to) == (type)(value) && (to)[-1] == 0x5a && (to)[sizeof(type)] == 0x5a);  \
    } while (0)

static void stores(unsigned char *to)
{
    const uint64_t value = 0x8192a3b4c5d6e7f8;

    STORED(STORE("sh", uint16_t, to, value), uint16_t, to, value);
    STORED(STORE("sw", uint32_t, to, value), uint32_t, to, value);
    STORED(STORE("sd", uint64_t, to, value), uint64_t, to, value);
    STORED(STORE_CP1("swc1", "mtc1", uint32_t, to, value), uint32_t, to, value);
    STORED(STORE_CP1("sdc1", "dmtc1", uint64_t, to, value), uint64_t, to, value);
}

/* A load in the delay slot of a branch that is taken if TAKEN, on the register that it loads. */
static long in_slot(const unsigned char *from, long taken)
{
    long way = 0, value = taken;

#ifdef __mips__
    __asm__ volatile(".set push\n .set noreorder\n bnez %1, 1f\n lw %1, 0(%2)\n b 2f\n li %0, 1\n"
                     "1: li %0, 2\n 2: .set pop"
                     : "=&r"(way), "+r"(value)
                     : "r"(from)
                     : "memory");
#else
    way = taken ? 2 : 1;
    value = *(const volatile int32_t *)from;
#endif
    TEST(value == RIGHT(int32_t, from));
    return way;
}

/* The same of bc1t, bgezal and jr. */
static long behind_others(const unsigned char *from)
{
    long way = 0, value = 0;

#ifdef __mips__
    __asm__ volatile(".set push\n .set noreorder\n"
                     "   mtc1 $0, $f4\n c.eq.s $f4, $f4\n bc1t 1f\n lw %1, 0(%2)\n li %0, 9\n"
                     "1: bgezal $0, 2f\n lhu %1, 0(%2)\n li %0, 9\n"
                     "2: daddiu %0, %0, 1\n dla $12, 3f\n jr $12\n lw %1, 0(%2)\n li %0, 9\n"
                     "3: daddiu %0, %0, 1\n .set pop"
                     : "+r"(way), "=&r"(value)
                     : "r"(from)
                     : "memory", "$f4", "$12", "$31");
#else
    way = 2;
    value = *(const volatile int32_t *)from;
#endif
    TEST(value == RIGHT(int32_t, from));
    return way;
}

#ifdef __mips__
static uint64_t value(int fd)
{
    uint64_t now = 0;

    return read(fd, &now, sizeof now) == sizeof now ? now : ~0ull;
}

/* How many of CONFIG in LOADS loads of FROM, and READS readings of the thread pointer. */
static long faults(int config, const unsigned char *from, int loads, int reads)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = (uint64_t)config};
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    uint64_t before = value(fd), after;

    for (int n = 0; n < loads; n++)
        (void)LOAD("lw", int32_t, from);
    for (int n = 0; n < reads; n++)
        __asm__ volatile(".set push; .set mips64r2; rdhwr $3, $29; .set pop" : : : "$3");
    after = value(fd);
    close(fd);
    return (long)(after - before);
}

/* What is not aligned is counted once as a fault, and once as an instruction that was done, as a
 * thread pointer is; of these a library has others. */
static void counted(const unsigned char *from)
{
    long aligned = faults(PERF_COUNT_SW_ALIGNMENT_FAULTS, from, 100, 70);
    long emulated = faults(PERF_COUNT_SW_EMULATION_FAULTS, from, 100, 70);

    if (aligned != 100 || emulated < 170 || emulated > 180)
        SAY("faults: %ld, %ld\n", aligned, emulated);
}
#endif

int main(void)
{
    bytes = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2 * PAGE; i++)
        bytes[i] = (unsigned char)(i * 151 + 3);
    munmap(bytes + 2 * PAGE, PAGE);
    loads(bytes + 1);
    loads(bytes + 22);
    loads(bytes + 103);
    loads(bytes + PAGE - 1);
    stores(bytes + 1);
    stores(bytes + 7);
    TEST(in_slot(bytes + 41, 1));
    TEST(in_slot(bytes + 41, 0));
    TEST(behind_others(bytes + 83));
    STORE("sw", uint32_t, bytes + PAGE - 2, 0x01020304); /* in two pages */
    TEST(RIGHT(uint32_t, bytes + PAGE - 2) == 0x01020304);
    CHILD(STORE("sd", uint64_t, bytes + PAGE - 3, 7);
          TEST(RIGHT(uint64_t, bytes + PAGE - 3) == 7)); /* copied */
    TEST(RIGHT(uint32_t, bytes + PAGE - 2) == 0x01020304);
    CHILD(TEST(LOAD("lw", uint32_t, bytes + 2 * PAGE - 2)));
    CHILD(STORE("sw", uint32_t, bytes + 2 * PAGE - 2, 5));
    TEST(mprotect(bytes + PAGE, PAGE, PROT_READ));
    CHILD(STORE("sw", uint32_t, bytes + PAGE + 6, 5));
    CHILD(STORE("sw", uint32_t, bytes + PAGE - 2, 5));
    TEST(LOAD("lw", int32_t, bytes + PAGE + 6) == RIGHT(int32_t, bytes + PAGE + 6));
#ifdef __mips__
    counted(bytes + 13);
#endif
    return 0;
}
