/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code that changes code, as a MIPS wants it done: the store, synci or a cache instruction, a jump.
 * A branch becomes a no-op, or a no-op a load, so that the counts tell which was executed.
 */
#include "tests/qemu/qpmu/malta.h"

/*
 * Instructions of the kernel, and its syncs and loads, which one event counts. The code may change
 * $8 to $11 and $14, $15. $16 is `array`, $12 a page that is PLACE's, $13 where PLACE itself lies,
 * $2, $4 and $5 are words: a branch over three no-ops, a no-op, a load.
 */
#define CASE(name, tlb, instructions, loads, code)                                                 \
    do {                                                                                           \
        uint64_t b0_, b1_, e0_, e1_;                                                               \
        prepare(tlb);                                                                              \
        register void *array_ __asm__("$16") = array;                                              \
        register uint64_t page_ __asm__("$12") = PAGE, place_ __asm__("$13") = FRAME;              \
        register uint64_t branch_ __asm__("$2") = 0x10000004;                                      \
        register uint64_t nop_ __asm__("$4") = 0, load_ __asm__("$5") = 0xde090000;                \
        __asm__ volatile(".set push\n .set noreorder\n .set noat\n"                                \
                         "mfc0 $1, $25, 1\n ld %0, 0(%4)\n mfc0 $1, $25, 3\n ld %1, 0(%4)\n" code  \
                         "\n mfc0 $1, $25, 1\n ld %2, 0(%4)\n"                                     \
                         "mfc0 $1, $25, 3\n ld %3, 0(%4)\n .set pop"                               \
                         : "=&r"(b0_), "=&r"(b1_), "=&r"(e0_), "=&r"(e1_)                          \
                         : "r"(&slot.value), "r"(array_), "r"(page_), "r"(place_), "r"(branch_),   \
                           "r"(nop_), "r"(load_)                                                   \
                         : "$1", "$8", "$9", "$10", "$11", "$14", "$15", "memory");                \
        tell(name, e0_ - b0_ - 4, e1_ - b1_ - 2, instructions, loads);                             \
    } while (0)
#define GOOD  6
#define CLEAN 2

/*
 * The place to be changed, which is called: as it is 6 with the call, and 9 with a no-op for
 * the branch. Never with a branch to somewhere else: QEMU does not see that where the delay slot is
 * a block of its own, and goes to where the branch went before.
 */
__asm__(".section .text\n .set push\n .set noreorder\n .balign 8\n"
        "place: .word 0x10000004\n nop\n nop\n nop\n nop\n jr $15\n nop\n"
        "place_end: .set pop\n");
extern const char place[], place_end[];

static void prepare(unsigned tlb)
{
    entries(tlb);
    copy(FRAME, place, place_end);
    copy(FRAME + 0xffc, place, place_end);
}

#define CALL(base)    "jalr $15, " base "\n nop\n"
#define SYNC(base)    "synci 0(" base ")\n sync\n"
#define SYNC_4(base)  "synci 4(" base ")\n sync\n"
#define PUT(word, at) "sw " word ", " at "($13)\n" SYNC("$13") /* 3 */
#define STEPS         PUT("$4", "0")
#define BRANCH        PUT("$2", "0")
#define LOAD          PUT("$5", "4")
#define NOP           PUT("$4", "4")
#define NEVER         "lui $14, 0x5400\n ori $14, $14, 4\n sw $14, 0($13)\n" /* 3: bnel $0, $0 */
#define ALWAYS        "lui $14, 0x5000\n ori $14, $14, 4\n sw $14, 0($13)\n" /* beql $0, $0 */
#define AT_END        "daddiu $14, $13, 0xffc\n" /* the branch is its page's last word */

static __attribute__((noinline)) void branches(void)
{
    CASE("nothing", GOOD, 12, 0, CALL("$13") CALL("$13"));
    CASE("once", GOOD, 18, 1, CALL("$13") STEPS CALL("$13"));
    CASE("first", GOOD, 12, 1, STEPS CALL("$13"));
    CASE("and_back", GOOD, 27, 2, CALL("$13") STEPS CALL("$13") BRANCH CALL("$13"));
    CASE(
        "by_cache", GOOD, 19, 1,
        CALL("$13") "sw $4, 0($13)\n cache 0x15, 0($13)\n cache 0x10, 0($13)\n sync\n" CALL("$13"));
    CASE("by_page", GOOD, 18, 1, CALL("$13") "sw $4, 0($12)\n" SYNC("$12") CALL("$13"));
    CASE("in_page", GOOD, 18, 1, CALL("$12") STEPS CALL("$12"));
    CASE("in_both", GOOD, 33, 1, CALL("$12") CALL("$13") STEPS CALL("$12") CALL("$13") "");
    CASE("in_clean_page", CLEAN, 18, 1, CALL("$12") "sw $4, 0($12)\n" SYNC("$12") CALL("$12"));
    CASE("uncached", GOOD, 19, 1,
         CALL("$13") "lui $14, 0xa100\n sw $4, 0($14)\n" SYNC("$13") CALL("$13"));
    CASE("across", GOOD, 19, 1, AT_END CALL("$14") "sw $4, 0($14)\n" SYNC("$14") CALL("$14"));
    CASE("never", GOOD, 19, 1, CALL("$13") NEVER SYNC("$13") CALL("$13"));
    CASE("trap", GOOD, 12, 1, CALL("$13") "li $14, 0x34\n" PUT("$14", "0") CALL("$13"));
}

static __attribute__((noinline)) void slots(void)
{
    CASE("slot", GOOD, 15, 1 + 1, CALL("$13") LOAD CALL("$13"));
    CASE("slot_and_back", GOOD, 24, 2 + 1, CALL("$13") LOAD CALL("$13") NOP CALL("$13"));
    CASE("slot_across", GOOD, 16, 1 + 1,
         AT_END CALL("$14") "sw $5, 4($14)\n" SYNC_4("$14") CALL("$14"));
    CASE("slot_likely", GOOD, 18, 1 + 1,
         CALL("$13") ALWAYS "sw $5, 4($13)\n" SYNC("$13") CALL("$13"));
    CASE("slot_never", GOOD, 20, 1, CALL("$13") NEVER "sw $5, 4($13)\n" SYNC("$13") CALL("$13"));
    CASE("slot_trap", GOOD, 12, 1, CALL("$13") "li $14, 0x34\n" PUT("$14", "4") CALL("$13"));
}

static __attribute__((noinline)) void loops(void)
{
    CASE("loop", GOOD, 1 + 100 * 23, 200, LOOP(99, STEPS CALL("$13") BRANCH CALL("$13")));
    CASE("loop_slot", GOOD, 1 + 100 * 20, 200 + 100, LOOP(99, LOAD CALL("$13") NOP CALL("$13")));
    CASE("itself", GOOD, 1 + 100 * 13, 200 + 100,
         LOOP(99,
              "dla $14, 3f\n sw $5, 0($14)\n" SYNC("$14") "jr.hb $14\n nop\n"
                                                          "3: nop\n sw $4, 0($14)\n" SYNC("$14")));
    /* A function that is written anew for each call: 0 to 99 no-ops and the way back. */
    CASE("grow", GOOD, 4 + 100 * 13 + 4950, 100,
         "lui $11, 0x01e0\n ori $11, $11, 8\n daddiu $10, $13, -4\n" LOOP(
             99, "daddiu $10, $10, 4\n sw $0, 0x7fc($10)\n sw $11, 0x800($10)\n"
                 "sw $0, 0x804($10)\n synci 0x800($10)\n sync\n"
                 "daddiu $14, $13, 0x800\n" CALL("$14")));
}

void guest(void)
{
    begin();
    for (unsigned pass = 0; pass < 2; pass++) {
        say("pass", pass);
        WRITE(0, CONTROL(15, K));
        WRITE(2, CONTROL(2, K));
        branches();
        slots();
        loops();
        WRITE(0, CONTROL(9, K)); /* with all models */
        WRITE(2, CONTROL(8, K));
    }
    end();
}
