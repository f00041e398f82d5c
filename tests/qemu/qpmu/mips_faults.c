/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every exception that can happen in the middle of a block, in delay slots and at the end of a
 * page. What is counted, in the order of struct counts, stands beside each piece of code;
 * test_qpmu_hard.py compares.
 */
#include "tests/qemu/qpmu/malta.h"

/* Graduated in kernel mode; with EXL, that is in handlers; loads, stores (issued: those that raised
 * an exception count, too), branches; issued. A branch whose slot raises one is issued again. */
struct counts {
    uint64_t instructions, handler, loads_issued, loads, stores_issued, stores, branches, issued;
};
#define COUNTS 8

/* Pairs of a counter-0 and a counter-1 event that together are struct counts. */
static const uint64_t controls[COUNTS] = {
    CONTROL(15, K), CONTROL(1, EXL), CONTROL(2, K), CONTROL(2, K),
    CONTROL(3, K),  CONTROL(3, K),   CONTROL(6, K), CONTROL(1, K),
};
/* What is counted between two reads of a counter besides the code: both reads' loads. Counter 1's
 * last event is not a part of struct counts: issued instructions are counter 0's. */
static const uint64_t extra[COUNTS] = {4, 0, 2, 2, 0, 0, 0, 2};

static void tell_all(const char *name, const uint64_t *got, const uint64_t *right)
{
    print(name);
    for (unsigned n = 0; n < COUNTS; n++)
        print(" "), number(got[n] - extra[n]);
    print(" =");
    for (unsigned n = 0; n < COUNTS; n++)
        print(" "), number(right[n]);
    print("\n");
}

/* CASE(NAME, TLB, CODE, COUNTS): CODE may use $8 to $11 and $14, $15; $12 and $13 are pages that
 * need an entry each, $16 is `array`. It is executed five times, for two events each time but the
 * last. */
#define CASE(name, tlb, code, ...)                                                                 \
    do {                                                                                           \
        static const uint64_t right_[COUNTS] = {__VA_ARGS__};                                      \
        uint64_t got_[COUNTS + 2];                                                                 \
        for (unsigned n_ = 0; n_ <= COUNTS; n_ += 2) {                                             \
            register void *a_ __asm__("$16") = array;                                              \
            register uint64_t page_ __asm__("$12") = PAGE, other_ __asm__("$13") = PAGE + 0x2000;  \
            uint64_t b0_, b1_, e0_, e1_;                                                           \
            entries(tlb);                                                                          \
            WRITE(0, n_ < COUNTS ? controls[n_] : CONTROL(1, K));                                  \
            WRITE(2, n_ + 1 < COUNTS ? controls[n_ + 1] : 0);                                      \
            __asm__ volatile(                                                                      \
                ".set push\n .set noreorder\n .set noat\n"                                         \
                "mfc0 $1, $25, 1\n ld %0, 0(%4)\n mfc0 $1, $25, 3\n ld %1, 0(%4)\n" code           \
                "\n mfc0 $1, $25, 1\n ld %2, 0(%4)\n"                                              \
                "mfc0 $1, $25, 3\n ld %3, 0(%4)\n .set pop"                                        \
                : "=&r"(b0_), "=&r"(b1_), "=&r"(e0_), "=&r"(e1_)                                   \
                : "r"(&slot.value), "r"(a_), "r"(page_), "r"(other_)                               \
                : "$1", "$8", "$9", "$10", "$11", "$14", "$15", "memory");                         \
            got_[n_] = e0_ - b0_;                                                                  \
            got_[n_ + 1] = e1_ - b1_;                                                              \
            WRITE(0, 0);                                                                           \
            WRITE(2, 0);                                                                           \
        }                                                                                          \
        got_[COUNTS - 1] = got_[COUNTS];                                                           \
        tell_all(name, got_, right_);                                                              \
    } while (0)
#define EMPTY   0
#define INVALID 8 /* there, but not valid */
#define CLEAN   2
#define GOOD    6
#define RESUME  "dla $15, 2f\n" /* 2 */

static void data(void)
{
    CASE("nothing", GOOD, "", 0, 0, 0, 0, 0, 0, 0, 0);
    CASE("load", GOOD, "nop\n ld $9, 0($12)\n nop", 3, 0, 1, 1, 0, 0, 0, 1);
    CASE("load_refill", EMPTY, "nop\n ld $9, 0($12)\n nop", 3, 7, 2, 1, 0, 0, 0, 2);
    CASE("store_refill", EMPTY, "nop\n sd $9, 0($12)\n nop", 3, 7, 0, 0, 2, 1, 0, 2);
    CASE("load_invalid", INVALID, "nop\n ld $9, 0($12)\n nop", 3, 14, 2, 1, 0, 0, 0, 2);
    CASE("store_invalid", INVALID, "nop\n sd $9, 0($12)\n nop", 3, 14, 0, 0, 2, 1, 0, 2);
    CASE("store_clean", CLEAN, "ld $9, 0($12)\n sd $9, 0($12)\n nop", 3, 14, 1, 1, 2, 1, 0, 3);
    CASE("loads", EMPTY, "nop\n ld $9, 0($12)\n lw $9, 4($13)\n nop", 4, 14, 4, 2, 0, 0, 0, 4);
    CASE("left_right", EMPTY, "lwl $9, 1($12)\n lwr $9, 4($12)\n swl $9, 1($13)\n nop", 4, 14, 3, 2,
         2, 1, 0, 5);
    CASE("linked", EMPTY, "ll $9, 0($12)\n sc $9, 0($12)\n nop", 3, 7, 2, 1, 1, 1, 0, 3);
    CASE("conditional", CLEAN, "ll $9, 0($12)\n sc $9, 0($12)\n nop", 3, 14, 1, 1, 2, 1, 0, 3);
    CASE("address_load", GOOD, RESUME "ld $9, 1($16)\n nop\n 2: nop", 3, 8, 1, 0, 0, 0, 0, 3);
    CASE("address_store", GOOD, RESUME "sd $9, 1($16)\n nop\n 2: nop", 3, 8, 0, 0, 1, 0, 0, 3);
}

static void arithmetic(void)
{
    CASE("overflow", GOOD, RESUME "lui $9, 0x7fff\n add $9, $9, $9\n nop\n 2: nop", 4, 8, 0, 0, 0,
         0, 0, 4);
    CASE("no_overflow", GOOD, RESUME "lui $9, 1\n add $9, $9, $9\n nop\n 2: nop", 6, 0, 0, 0, 0, 0,
         0, 4);
    CASE("overflow_immediate", GOOD,
         RESUME "lui $9, 0x7fff\n ori $9, $9, 0xffff\n addi $9, $9, 1\n nop\n 2: nop", 5, 8, 0, 0,
         0, 0, 0, 5);
    CASE("overflow_long", GOOD,
         RESUME "lui $9, 0x7fff\n dsll32 $9, $9, 0\n dadd $9, $9, $9\n nop\n 2: nop", 5, 8, 0, 0, 0,
         0, 0, 5);
    CASE("trap", GOOD, RESUME "tne $0, $16\n nop\n 2: nop", 3, 8, 0, 0, 0, 0, 0, 3);
    CASE("trap_immediate", GOOD, RESUME "tnei $16, 5\n nop\n 2: nop", 3, 8, 0, 0, 0, 0, 0, 3);
    CASE("no_trap", GOOD, RESUME "teq $0, $16\n nop\n 2: nop", 5, 0, 0, 0, 0, 0, 0, 3);
    CASE("system_call", GOOD, RESUME "syscall\n nop\n 2: nop", 3, 8, 0, 0, 0, 0, 0, 2);
    CASE("breakpoint", GOOD, RESUME "break\n nop\n 2: nop", 3, 8, 0, 0, 0, 0, 0, 2);
    CASE("reserved", GOOD, RESUME ".word 0xe\n nop\n 2: nop", 3, 8, 0, 0, 0, 0, 0, 2);
    CASE("unusable", GOOD, RESUME ".word 0x46200000\n nop\n 2: nop", 3, 8, 0, 0, 0, 0, 0, 3);
    CASE("unusable_move", GOOD, RESUME ".word 0x44090000\n nop\n 2: nop", 3, 8, 0, 0, 0, 0, 0, 3);
    CASE("unusable_load", GOOD, RESUME ".word 0xd6000000\n nop\n 2: nop", 3, 8, 1, 0, 0, 0, 0, 3);
    CASE("unusable_2", GOOD, RESUME ".word 0x4a000000\n nop\n 2: nop", 3, 8, 0, 0, 0, 0, 0, 2);
    CASE("unusable_branch", GOOD, RESUME ".word 0x45000001\n nop\n 2: nop", 3, 8, 0, 0, 0, 0, 0, 2);
}

/* The branch is executed again with its slot. */
static void slots(void)
{
    CASE("slot_load", EMPTY, "b 2f\n ld $9, 0($12)\n 2: nop", 3, 7, 2, 1, 0, 0, 1, 4);
    CASE("slot_store", EMPTY, "bnez $16, 2f\n sd $9, 0($12)\n 2: nop", 3, 7, 0, 0, 2, 1, 1, 4);
    CASE("slot_not_taken", EMPTY, "beqz $16, 2f\n ld $9, 0($12)\n nop\n 2: nop", 4, 7, 2, 1, 0, 0,
         1, 4);
    CASE("slot_jump", EMPTY, "j 2f\n ld $9, 0($12)\n nop\n 2: nop", 3, 7, 2, 1, 0, 0, 0, 2);
    CASE("slot_register", EMPTY, RESUME "jr $15\n ld $9, 0($12)\n nop\n 2: nop", 5, 7, 2, 1, 0, 0,
         0, 4);
    CASE("slot_link", EMPTY, RESUME "jalr $14, $15\n sd $9, 0($12)\n nop\n 2: nop", 5, 7, 0, 0, 2,
         1, 0, 4);
    CASE("slot_clean", CLEAN, "bnez $16, 2f\n sd $9, 0($12)\n 2: nop", 3, 14, 0, 0, 2, 1, 1, 4);
    CASE("slot_address", GOOD, RESUME "bnez $16, 3f\n ld $9, 1($16)\n 3: nop\n 2: nop", 3, 8, 1, 0,
         0, 0, 0, 4);
    CASE("slot_trap", GOOD, RESUME "bnez $16, 3f\n teq $0, $0\n 3: nop\n 2: nop", 3, 8, 0, 0, 0, 0,
         0, 4);
    CASE("slot_overflow", GOOD,
         RESUME "lui $9, 0x7fff\n bnez $16, 3f\n add $9, $9, $9\n 3: nop\n 2: nop", 4, 8, 0, 0, 0,
         0, 0, 5);
    CASE("slot_call", GOOD, RESUME "bnez $16, 3f\n syscall\n 3: nop\n 2: nop", 3, 8, 0, 0, 0, 0, 0,
         3);
    CASE("slot_reserved", GOOD, RESUME "beqz $16, 3f\n .word 0xe\n 3: nop\n 2: nop", 3, 8, 0, 0, 0,
         0, 0, 3);
    CASE("slot_unusable", GOOD, RESUME "beqz $16, 3f\n .word 0x44090000\n 3: nop\n 2: nop", 3, 8, 0,
         0, 0, 0, 0, 4);
    CASE("likely_load", EMPTY, "bnezl $16, 2f\n ld $9, 0($12)\n nop\n 2: nop", 3, 7, 2, 1, 0, 0, 1,
         4);
    CASE("likely_store", EMPTY, "bnezl $16, 2f\n sd $9, 0($12)\n nop\n 2: nop", 3, 7, 0, 0, 2, 1, 1,
         4);
    CASE("likely_skipped", EMPTY, "beqzl $16, 2f\n ld $9, 0($12)\n nop\n 2: nop", 3, 0, 0, 0, 0, 0,
         1, 1);
    CASE("likely_trap", GOOD, RESUME "bnezl $16, 3f\n teq $0, $0\n 3: nop\n 2: nop", 3, 8, 0, 0, 0,
         0, 0, 4);
    CASE("likely_no_trap", GOOD, RESUME "beqzl $16, 3f\n teq $0, $0\n nop\n 3: nop\n 2: nop", 6, 0,
         0, 0, 0, 0, 1, 3);
    CASE("likely_call", GOOD, RESUME "bnezl $16, 3f\n syscall\n 3: nop\n 2: nop", 3, 8, 0, 0, 0, 0,
         0, 3);
    /* 1 + 98 * 2 + 97 + 1; of 97 loads the first raises one. */
    CASE("likely_loop", EMPTY,
         "li $8, 98\n 1: daddiu $8, $8, -1\n bgtzl $8, 1b\n ld $9, 0($12)\n nop", 295, 7, 98, 97, 0,
         0, 98, 1 + 196 + 97 + 2);
}

/* Code in mapped pages, whose end is the end of what is mapped: at OFFSET of the second page. The
 * way there is 6, the way back 3; 7 for its refill. */
static void put(unsigned offset, unsigned count, const uint32_t *words)
{
    for (unsigned n = 0; n < count; n++)
        *(volatile uint32_t *)(FRAME + (offset + n * 4) % 0x1000) = words[n];
}
#define PUT(offset, ...)                                                                           \
    put(offset, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})
#define GO(offset)                                                                                 \
    RESUME "lui $14, 0x40\n ori $14, $14, 0x1000 + " #offset "\n jr $14\n nop\n 2: nop"
#define BACK 0x01e00008, 0 /* jr $15 ; nop */

static void pages(void)
{
    PUT(0xff8, 0, 0, BACK);
    CASE("fall", EMPTY, GO(0xff8), 11, 14, 0, 0, 0, 0, 0, 4);
    PUT(0xffc, 0x10000002, 0, 0, BACK); /* b; its slot; skipped */
    CASE("split_slot", EMPTY, GO(0xffc), 11, 14, 0, 0, 0, 0, 1, 6);
    PUT(0xffc, 0x10000002, 0xdda90000, 0, BACK); /* the slot: ld $9, 0($13), in the same page */
    CASE("split_slot_load", EMPTY, GO(0xffc), 11, 14, 1, 1, 0, 0, 1, 7);
    PUT(0xffc, 0x10000002, 0x8d890000 | 0x4000, 0, BACK); /* lw $9, 0x4000($12): one more */
    CASE("split_slot_away", EMPTY, GO(0xffc), 11, 21, 2, 1, 0, 0, 1, 9);
    PUT(0xffc, 0x08100802, 0, 0, BACK); /* j */
    CASE("split_jump", EMPTY, GO(0xffc), 11, 14, 0, 0, 0, 0, 0, 4);
    PUT(0xffc, 0x56000002, 0, 0, BACK); /* bnezl $16 */
    CASE("split_likely", EMPTY, GO(0xffc), 11, 14, 0, 0, 0, 0, 1, 6);
    PUT(0xffc, 0x52000002, 0, 0, BACK); /* beqzl $16: the slot is skipped, but fetched */
    CASE("split_skipped", EMPTY, GO(0xffc), 11, 14, 0, 0, 0, 0, 1, 6);
    PUT(0xffc, 0x16000002, 0x00000034, 0, BACK); /* bnez $16; teq: BACK is not reached */
    CASE("split_trap", EMPTY, GO(0xffc), 7, 22, 0, 0, 0, 0, 0, 7);
    PUT(0xffc, 0x8d894000, BACK); /* lw $9, 0x4000($12) is the last */
    CASE("last_load", EMPTY, GO(0xffc), 10, 21, 2, 1, 0, 0, 0, 6);
}

void guest(void)
{
    begin();
    for (unsigned pass = 0; pass < 2; pass++) {
        say("pass", pass);
        data();
        arithmetic();
        slots();
        pages();
        WRITE(0, CONTROL(9, K)); /* with all models */
        WRITE(2, CONTROL(8, K));
    }
    end();
}
