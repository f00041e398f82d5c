/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which mode an instruction was executed in: the user's, the supervisor's, the kernel's, or that of
 * exceptions. Each piece of code is counted under all sixteen settings of a counter's four mode
 * bits, by both counters; beside it stands how much of it belongs to each mode, from which the
 * sixteen follow. test_qpmu_hard.py compares.
 */
#include "tests/qemu/qpmu/malta.h"

#define MASKS 16
#define KSU_S 0x08
#define KSU_U 0x10
#define BASE  0xe0 /* KX, SX, UX */

/*
 * The refills' handler is malta.h's: 7. This one: syscall is 12, and the guest goes on in the
 * kernel at $15; anything else is 11, and it goes on behind it. An interrupt is 7, counted in $22,
 * and 8, counted in $19, for each time that the timer is set: again if that time has passed
 * already. $24 is where the slot hears of Status.
 */
__asm__(".section .text\n .set push\n .set noreorder\n .set noat\n"
        "handler: mfc0 $26, $13\n andi $26, $26, 0x7c\n beqz $26, 2f\n xori $26, $26, 0x20\n"
        "   beqz $26, 1f\n nop\n"
        "   dmfc0 $26, $14\n daddiu $26, $26, 4\n dmtc0 $26, $14\n ehb\n eret\n"
        "1: li $26, 0xe2\n sw $26, 0($24)\n mtc0 $26, $12\n dmtc0 $15, $14\n ehb\n eret\n"
        "2: addiu $19, $19, 1\n mfc0 $26, $9\n addu $26, $26, $23\n mtc0 $26, $11\n"
        "   mfc0 $27, $9\n subu $27, $27, $26\n bgez $27, 2b\n nop\n"
        "   addiu $22, $22, 1\n ehb\n eret\n"
        "handler_end: .set pop\n");
extern const char handler[], handler_end[];
#define REFILL  7
#define SKIP    11
#define CALL    12
#define TICK    7
#define SETTING 8
#define PERIOD  300000 /* of interrupts; 3 ms */

/* A piece of code, which ends with a syscall. It may change $8 to $11, and knows $20, a page's. */
#define PIECE(name, code)                                                                          \
    __asm__(".section .text\n .set push\n .set noreorder\n .balign 8\n"                            \
            "piece_" #name ": " code "\n syscall\n .skip 8\n"                                      \
            "piece_" #name "_end: .set pop\n");                                                    \
    extern const char piece_##name[], piece_##name##_end[]
/* Three instructions, of which the last belongs to the mode before. */
#define STATUS(value) "li $9, " #value "\n sw $9, 0($24)\n mtc0 $9, $12\n"

PIECE(nops, "nop\n nop\n nop");
PIECE(loop, "li $8, 99\n 1: nop\n bnez $8, 1b\n addiu $8, $8, -1");
PIECE(slot, "b 1f\n nop\n 1: b 2f\n break\n nop\n 2: nop");
PIECE(likely, "li $8, 9\n 1: addiu $8, $8, -1\n bnezl $8, 1b\n nop\n nop");
PIECE(trap, "nop\n teq $0, $0\n nop\n break\n nop");
PIECE(traps, "li $8, 99\n 1: break\n bnez $8, 1b\n addiu $8, $8, -1");
PIECE(load, "nop\n lw $9, 0($20)\n lw $9, 4($20)\n nop");
PIECE(privileged, "nop\n mfc0 $9, $12\n nop\n cache 0, 0($20)\n nop");
PIECE(returns, "nop\n eret\n nop\n nop");
PIECE(waits, "1: addiu $8, $8, 1\n slti $9, $22, 3\n bnez $9, 1b\n nop");
/* Kernel's, in place. */
PIECE(level, STATUS(0xe2) "nop\n nop\n" STATUS(0xe0) "nop");
PIECE(error, STATUS(0xe4) "nop\n nop\n" STATUS(0xe0) "nop");
PIECE(error_level, STATUS(0xe6) "nop\n nop\n" STATUS(0xe2) "nop\n" STATUS(0xe0) "nop");
PIECE(level_modes, STATUS(0xf2) "nop\n" STATUS(0xea) "nop\n nop\n" STATUS(0xe2) STATUS(0xe0));
/* The kernel's, in a user's page, until it gives up its rights. */
PIECE(to_user, "nop\n" STATUS(0xf0) "nop\n nop\n nop");
PIECE(to_supervisor, "nop\n" STATUS(0xe8) "nop\n nop\n nop");
PIECE(twice, "nop\n" STATUS(0xea) "dmtc0 $21, $14\n ehb\n eret\n nop");

struct modes {
    uint64_t user, supervisor, kernel, level;
};

static uint64_t of_mask(const struct modes *modes, unsigned mask)
{
    return (mask & QPMU_MODE_U ? modes->user : 0) + (mask & QPMU_MODE_S ? modes->supervisor : 0) +
           (mask & QPMU_MODE_K ? modes->kernel : 0) + (mask & QPMU_MODE_EXL ? modes->level : 0);
}

/*
 * Goes to AT with STATUS, and comes back. Counted are 6 of the kernel, of which some read the
 * counters, and 3 with EXL. GOT: what both counted, the turns of `waits`, $22, $19.
 */
static __attribute__((noinline)) void go(uint64_t at, uint32_t with, uint64_t *got)
{
    register uint64_t turns_ __asm__("$8") = 0, ticks_ __asm__("$22") = 0,
                             settings_ __asm__("$19") = 0;
    register uint64_t page_ __asm__("$20") = PAGE + 0x2000, next_ __asm__("$21") = at + 0x1c;
    register uint64_t period_ __asm__("$23") = PERIOD, at_ __asm__("$14") = at;
    register volatile uint32_t *told_ __asm__("$24") = &slot.status;
    uint64_t b0, b1, e0, e1;

    __asm__ volatile(
        ".set push\n .set noreorder\n .set noat\n dla $15, 2f\n move $9, %[with]\n"
        "mfc0 $1, $25, 1\n ld %0, 0(%[value])\n mfc0 $1, $25, 3\n ld %1, 0(%[value])\n"
        "sw $9, 0($24)\n mtc0 $9, $12\n dmtc0 $14, $14\n ehb\n eret\n"
        "2: mfc0 $1, $25, 1\n ld %2, 0(%[value])\n mfc0 $1, $25, 3\n ld %3, 0(%[value])\n"
        ".set pop"
        : "=&r"(b0), "=&r"(b1), "=&r"(e0), "=&r"(e1), "+r"(turns_), "+r"(ticks_), "+r"(settings_)
        : [value] "r"(&slot.value), [with] "r"(with), "r"(page_), "r"(next_), "r"(period_),
          "r"(told_), "r"(at_)
        : "$1", "$9", "$10", "$11", "$15", "memory");
    got[0] = e0 - b0;
    got[1] = e1 - b1;
    got[2] = turns_;
    got[3] = ticks_;
    got[4] = settings_;
}

static void timer(void)
{
    uint32_t at = 0, now = 0;

    do {
        __asm__ volatile("mfc0 %0, $9" : "+r"(at));
        at += PERIOD;
        __asm__ volatile("mtc0 %1, $11\n ehb\n mfc0 %0, $9" : "+r"(now) : "r"(at));
    } while ((int32_t)(now - at) >= 0);
}

static void list(const uint64_t *numbers)
{
    for (unsigned n = 0; n < 2 * MASKS; n++)
        print(" "), number(numbers[n]);
}

/* TLB: what of the piece's page is there at first. WITH: Status. EACH: what a turn of `waits` is.
 */
static void count(const char *name, uint64_t at, unsigned tlb, uint32_t with, struct modes modes,
                  struct modes each)
{
    uint64_t got[2 * MASKS], right[2 * MASKS], one[5];

    for (unsigned mask = 0; mask < MASKS; mask++) {
        unsigned other = mask ^ (MASKS - 1);
        struct modes all;

        entries(tlb);
        WRITE(0, CONTROL(15, mask));
        WRITE(2, CONTROL(1, other));
        if (with & 1)
            timer();
        go(at, with, one);
        all.user = modes.user + each.user * one[2];
        all.supervisor = modes.supervisor + each.supervisor * one[2];
        all.kernel = modes.kernel + each.kernel * one[2] + 6;
        all.level = modes.level + 3 + CALL + TICK * one[3] + SETTING * one[4];
        got[2 * mask] = one[0];
        got[2 * mask + 1] = one[1];
        right[2 * mask] = of_mask(&all, mask);
        right[2 * mask + 1] = of_mask(&all, other);
        WRITE(0, 0);
        WRITE(2, 0);
    }
    print(name);
    list(got);
    print(" =");
    list(right);
    print("\n");
}

#define GOOD  6
#define EMPTY 0
#define TICKS 0x8001 /* Status' bits for the timer's interrupts */
#define NONE  ((struct modes){0, 0, 0, 0})
/* The numbers are those of struct modes. */
#define CASE(name, piece, tlb, ksu, ...)                                                           \
    do {                                                                                           \
        copy(FRAME, piece_##piece, piece_##piece##_end);                                           \
        count(name, PAGE, tlb, BASE | (ksu) | 2, (struct modes){__VA_ARGS__}, NONE);               \
    } while (0)
#define TICKING_CASE(name, ksu, ...)                                                               \
    do {                                                                                           \
        copy(FRAME, piece_waits, piece_waits_end);                                                 \
        count(name, PAGE, GOOD, BASE | (ksu) | 2 | TICKS, NONE, (struct modes){__VA_ARGS__});      \
    } while (0)
#define KERNEL_CASE(name, piece, ...)                                                              \
    count(name, (uint64_t)piece_##piece, GOOD, BASE | 2, (struct modes){__VA_ARGS__}, NONE)

static void users(void)
{
    CASE("user", nops, GOOD, KSU_U, 3, 0, 0, 0);
    CASE("user_loop", loop, GOOD, KSU_U, 301, 0, 0, 0);
    CASE("user_slot", slot, GOOD, KSU_U, 4, 0, 0, 2 * SKIP);
    CASE("user_likely", likely, GOOD, KSU_U, 28, 0, 0, 0);
    CASE("user_trap", trap, GOOD, KSU_U, 3, 0, 0, 2 * SKIP);
    CASE("user_traps", traps, GOOD, KSU_U, 201, 0, 0, 100 * SKIP);
    CASE("user_refill", nops, EMPTY, KSU_U, 3, 0, 0, REFILL);
    CASE("user_load", load, EMPTY, KSU_U, 4, 0, 0, 2 * REFILL);
    CASE("user_privileged", privileged, GOOD, KSU_U, 3, 0, 0, 2 * SKIP);
    CASE("user_returns", returns, GOOD, KSU_U, 3, 0, 0, SKIP);
    TICKING_CASE("user_ticks", KSU_U, 4, 0, 0, 0);
}

static void supervisors(void)
{
    CASE("supervisor", nops, GOOD, KSU_S, 0, 3, 0, 0);
    CASE("supervisor_loop", loop, GOOD, KSU_S, 0, 301, 0, 0);
    CASE("supervisor_slot", slot, GOOD, KSU_S, 0, 4, 0, 2 * SKIP);
    CASE("supervisor_likely", likely, GOOD, KSU_S, 0, 28, 0, 0);
    CASE("supervisor_trap", trap, GOOD, KSU_S, 0, 3, 0, 2 * SKIP);
    CASE("supervisor_traps", traps, GOOD, KSU_S, 0, 201, 0, 100 * SKIP);
    CASE("supervisor_refill", nops, EMPTY, KSU_S, 0, 3, 0, REFILL);
    CASE("supervisor_load", load, EMPTY, KSU_S, 0, 4, 0, 2 * REFILL);
    CASE("supervisor_privileged", privileged, GOOD, KSU_S, 0, 3, 0, 2 * SKIP);
    CASE("supervisor_returns", returns, GOOD, KSU_S, 0, 3, 0, SKIP);
    TICKING_CASE("supervisor_ticks", KSU_S, 0, 4, 0, 0);
}

static void kernels(void)
{
    CASE("kernel_mapped", nops, GOOD, 0, 0, 0, 3, 0);
    CASE("kernel_refill", load, EMPTY, 0, 0, 0, 4, 2 * REFILL);
    CASE("kernel_traps", traps, GOOD, 0, 0, 0, 201, 100 * SKIP);
    TICKING_CASE("kernel_ticks", 0, 0, 0, 4, 0);
    CASE("to_user", to_user, GOOD, 0, 3, 0, 4, 0);
    CASE("to_supervisor", to_supervisor, GOOD, 0, 0, 3, 4, 0);
    CASE("to_supervisor_by_return", twice, GOOD, 0, 0, 1, 4, 3);
    KERNEL_CASE("kernel", nops, 0, 0, 3, 0);
    KERNEL_CASE("level", level, 0, 0, 4, 5);
    KERNEL_CASE("level_modes", level_modes, 0, 0, 3, 12);
    KERNEL_CASE("error", error, 0, 0, 4, 0);
    KERNEL_CASE("error_level", error_level, 0, 0, 4, 4);
}

void guest(void)
{
    begin();
    copy(0xffffffff80000180, handler, handler_end);
    for (unsigned pass = 0; pass < 2; pass++) {
        say("pass", pass);
        users();
        supervisors();
        kernels();
        WRITE(0, CONTROL(9, K)); /* with all models */
        WRITE(2, CONTROL(8, K));
    }
    end();
}
