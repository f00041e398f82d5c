/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page that the plugin qpmu and a guest share: one struct qpmu_slot for each virtual CPU,
 * page-aligned, contiguous in the guest's physical memory, all fields in the guest's byte order.
 * Plain C, no includes but <stdint.h>: guests copy this file. docs/QPMU.md is the manual.
 *
 * Finding each other: each CPU makes a HYPERCALL, two instructions in a row, interrupts off:
 *   MIPS    sltiu $0, $0, 0x5150 ; sw $0, 0(slot)
 *   x86_64  nopl 0x5150(%rax)    ; movl $0, (slot)
 * Without the plugin they do nothing, and magic reads 0 afterwards. With it magic is QPMU_MAGIC.
 *
 * A register is written by storing the value in `value` (on x86 also the MSR's number in `number`)
 * and executing the real instruction (mtc0 rt, $25, sel; wrmsr). It is read by (storing `number`
 * and) executing the real instruction (mfc0 rt, $25, sel; rdmsr), then loading `value`. Interrupts
 * off between.
 */
#ifndef QPMU_H
#define QPMU_H
#include <stdint.h>

#define QPMU_MAGIC     0x51504d55u /* "QPMU" */
#define QPMU_VERSION   1u
#define QPMU_HYPERCALL 0x5150u
#define QPMU_COUNTERS  8 /* R10000: 0, 1. x86: 0-3 general, 4-6 fixed 0-2 */
#define QPMU_SITES     8
#define QPMU_RING      512 /* records of the ring in the slot; a power of two */

/* features */
#define QPMU_REV_3X 1u /* R10000 events 6 and 14 as in revision 3.x silicon */
#define QPMU_INTERRUPTS                                                                            \
    2u /* overflow interrupts come through the serial port named in docs/QPMU.md */
#define QPMU_MODES     4u  /* counters of some modes only count; without it they stay 0 */
#define QPMU_OWN_RINGS 8u  /* a guest may have a ring of its own, see QPMU_RING_NEXT */
#define QPMU_CALLERS   16u /* and its records may tell their callers, see ring_words */
/* flags, the guest's; to be set before the hypercall */
#define QPMU_SITES_ONLY  1u /* no mtc0 $12 but those in sites[] changes KSU, EXL or ERL */
#define QPMU_HIGHER_HALF 2u /* x86: code at negative addresses is OS, other code is USR */
/*
 * The next hypercall names memory for records instead of a slot (only where features has
 * QPMU_OWN_RINGS). The guest stores in ring_size for how many, a power of two, sets this flag and
 * makes the hypercall with the address of the memory: it is contiguous in physical memory, aligned
 * to 32 bytes, and loses its first word. The plugin clears the flag and stores in ring_size how
 * many records the ring has from now on: another number than was asked for if it cannot lie there,
 * and then nothing has changed. Records that were not taken yet move along, record N to place N %
 * ring_size. A hypercall for a slot, or one for the memory of ring[], goes back to ring[].
 */
#define QPMU_RING_NEXT 4u
/*
 * The next hypercall names a struct qpmu_stack instead of a slot (only where `following` is 1):
 * what a stack holds at this moment, of a thread that does not run, or of the one that makes the
 * hypercall. The plugin clears the flag. What it is not told of it learns as functions return.
 */
#define QPMU_STACK_NEXT 32u
/* mode of a record: which enable bit the event matched */
#define QPMU_MODE_EXL 1u /* the bits of the R10000's control register; x86: U and K only */
#define QPMU_MODE_K   2u
#define QPMU_MODE_S   4u
#define QPMU_MODE_U   8u

struct qpmu_record {  /* one overflow, 32 bytes */
    uint64_t pc;      /* of the instruction at which the counter overflowed */
    uint64_t value;   /* of the counter at that instant, before any reload */
    uint32_t counter; /* index */
    uint16_t mode;    /* QPMU_MODE_ */
    uint16_t cpu;
    uint64_t
        instructions; /* graduated on this CPU when it happened, since the plugin began to count */
};

/*
 * Behind each record of a ring with ring_words: who had called the function that it was in. `count`
 * of the words behind all records, beginning with number `first` modulo ring_words, from the
 * innermost on; they are good until the record is taken. Each is the address of a call instruction
 * that had not returned (where the plugin was told of a stack, of a byte of it).
 * QPMU_CALLERS_INTERRUPT stands for an interrupt or exception of the kernel, which no function
 * called; the next word is the address of the instruction that was to be next, or of one of the
 * same function; 0: it is not known. What lies behind it is the interrupted code's. Functions that
 * were left for others by a jump at their end are not there.
 */
struct qpmu_callers {
    uint64_t hash;  /* of the words and flags: other ones have another, but by a chance of 2^-64 */
    uint32_t first; /* see above */
    uint32_t head;  /* the plugin's: words ever written, before these */
    uint32_t count; /* QPMU_CALLERS_MOST at the most */
    uint32_t flags; /* QPMU_CALLERS_ */
    uint64_t unused;
};
#define QPMU_CALLERS_INTERRUPT 1u
#define QPMU_CALLERS_MOST      64
#define QPMU_WORDS_LEAST       256u
/* flags; with neither of them the callers of the last one are not known. */
#define QPMU_CALLERS_WHOLE 1u /* it has none: the kernel was entered there, from user mode */
#define QPMU_CALLERS_CUT   2u /* it has some: they are too many, or there was no room for them */

/* One stack, in contiguous physical memory aligned to 16 bytes. */
#define QPMU_STACK_FRAMES 62
#define QPMU_STACK_ALSO   1u
struct qpmu_stack {
    uint32_t zero;  /* the hypercall's */
    uint32_t count; /* frames, the outermost first */
    uint32_t whole; /* 1: nobody has called the outermost one's function */
    uint32_t unused;
    struct {
        uint64_t place; /* physical address of the memory with the return address; 0: an interrupt,
                           which is to return to `back`. With QPMU_STACK_ALSO: that of the frame
                           before lies there, too (MIPS: in memory, and in a saved register 31) */
        uint64_t back;  /* the return address; a frame whose memory holds another ends the list */
    } frame[QPMU_STACK_FRAMES];
};

struct qpmu_site { /* an mtc0 rt, $12 at pc: KSU, EXL, ERL (Status bits 4..1) become (old & keep) |
                      set */
    uint64_t pc;
    uint32_t keep, set;
};

struct qpmu_slot {
    uint32_t magic;    /* 0x000 hypercall writes 0, the plugin answers QPMU_MAGIC */
    uint32_t version;  /* 0x004 plugin */
    uint32_t cpu;      /* 0x008 plugin: index of the virtual CPU that made the hypercall */
    uint32_t features; /* 0x00c plugin */
    uint64_t value;    /* 0x010 see above */
    uint32_t number;   /* 0x018 x86: MSR */
    uint32_t again;  /* 0x01c plugin sets it to 1 when a control register asked for an event that is
                        not instrumented  yet, and ignores that write: the guest clears it and writes
                        again, until it stays 0 */
    uint32_t status; /* 0x020 MIPS: Status as of now. The plugin keeps KSU, EXL and ERL right
                        through exceptions and eret; the guest stores the new value before an mtc0
                        $12 that changes one of them */
    uint32_t user_ksu;   /* 0x024 MIPS: KSU (2 or 1) that eret into the user segment means after a
                            site; 0 means 2 */
    uint32_t flags;      /* 0x028 guest */
    uint32_t site_count; /* 0x02c guest */
    struct qpmu_site sites[QPMU_SITES]; /* 0x030 */
    uint64_t reload[QPMU_COUNTERS];     /* 0x0b0 guest */
    uint32_t
        reload_on; /* 0x0f0 guest: bit n: counter n becomes reload[n] in the instant it overflows */
    uint32_t head; /* 0x0f4 plugin: records ever written, modulo 2^32 */
    uint32_t tail; /* 0x0f8 guest: records ever taken */
    uint32_t dropped; /* 0x0fc plugin: overflows that found the ring full */
    uint64_t
        counted; /* 0x100 plugin: bit n: raw event n is instrumented now (tools/qpmu/events.h) */
    uint32_t lost[QPMU_COUNTERS]; /* 0x108 plugin: `dropped`, counter by counter */
    uint32_t ring_size;  /* 0x128 both: records of a ring of the guest's own, see QPMU_RING_NEXT */
    uint32_t ring_words; /* 0x12c both, with ring_size: words of 8 bytes behind the records, a power
                            of two from QPMU_WORDS_LEAST on: then each record is followed by a
                            struct qpmu_callers, and there are its words; 0: records alone. Only
                            where features has QPMU_CALLERS */
    uint64_t stamp; /* 0x130 plugin: changes all the time; so it knows a slot of another time, as a
                       snapshot brings it */
    uint64_t gates, gates_end; /* 0x138 guest, before the hypercall, x86: interrupts enter its
                                  kernel at addresses from the one to below the other, and no
                                  exceptions do. 0: not told; then the plugin finds them out as they
                                  come */
    uint32_t following; /* 0x148 plugin: 1: calls are followed, from some time after a CPU has asked
                           for ring_words until some time after the last one has none */
    uint8_t reserved[4096 - 0x14c];
    struct qpmu_record ring[QPMU_RING]; /* 0x1000 */
};
#define QPMU_SLOT_SIZE (4096 + 32 * QPMU_RING) /* 20 KiB */
#endif
