/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the plugin knows of a virtual CPU and of a block of translated instructions. A virtual CPU's
 * record is touched only by its own thread, or where no CPU runs (see level.c).
 */
#ifndef QPMU_PLUGIN_VCPU_H
#define QPMU_PLUGIN_VCPU_H

#include "tools/qpmu/cache.h"
#include "tools/qpmu/cpu.h"
#include "tools/qpmu/insn.h"
#include "tools/qpmu/plugin/calls.h"
#include "tools/qpmu/plugin/direct.h"
#include "tools/qpmu/plugin/ring.h"
#include "tools/qpmu/predictor.h"
#include "tools/qpmu/qemu/emu.h"

#include <stdbool.h>
#include <stdint.h>

#define MAX_VCPUS     256
#define STATIC_EVENTS (QPMU_WAKEUPS + 1) /* the events that a block adds */

/*
 * Where QEMU does not tell of discontinuities, progress through a block is told by marks, which are
 * added up in a word of the CPU's (word.h): MARK_PASSED behind each instruction that may fault and
 * has another behind it in the block, MARK_LAST by each successful access of the last one. So a
 * block ran to its end when its marks are complete. A block has 512 instructions at the most.
 */
#define MARK_PASSED (1ull << 42)
#define MARK_LAST   (1ull << 52)
#define MARKS       ((1ull << 61) - MARK_PASSED)

struct block;

/* One instruction of a block. */
struct step {
    const struct block *block;
    uint64_t pc;
    struct qpmu_insn insn;
    uint16_t index;
    uint8_t rt;      /* MIPS: the register that mtc0 to Status writes */
    bool marked;     /* a MARK_PASSED stands behind it */
    bool returns;    /* from an interrupt or exception */
    bool privileged; /* faults in user mode only */
    bool traps;      /* x86: raises an exception because it is meant to, and graduates */
    bool remaps;     /* may change where addresses lead */
    bool by_helper;  /* MIPS: QEMU accesses memory for it in a helper */
    bool leaves;     /* x86: an old QEMU may leave the block inside it, see level.c */
    bool enters;     /* a system call */
    bool clean;      /* x86: nothing before it in the block writes flags; only rdpmc's is known */
};

struct line { /* of instructions, for the caches */
    uint64_t place, pc;
    uint64_t entry;  /* what the primary cache's entry is where it holds the line */
    uint64_t *both;  /* the only CPU's two entries that may */
    uint8_t *recent; /* which of them was used last */
};

/* Why a block needs more than its sums added: when it ends, or when it begins. */
enum {
    END_REP = 1,         /* its last instruction is a repeated one */
    END_LIKELY = 2,      /* a likely branch: whether its delay slot graduated is to be seen */
    END_PREDICTED = 128, /* a conditional branch, made for the models (level_fetches()) */
    END_RETURN = 4,      /* its last instruction returns from an interrupt */
    END_HALT = 8,        /* its last instruction halts the CPU */
    END_NO_SLOT = 16,   /* its last instruction is a branch whose delay slot is in the next block */
    END_UNKNOWN = 64,   /* there is no block */
    END_PAGE = 2048,    /* its last instruction may cross into another page */
    END_UNSURE = 32,    /* its last instruction may fault, and tells by no mark */
    BEGIN_VECTOR = 256, /* of exceptions */
    BEGIN_REFILL = 512, /* the one of TLB refills */
    BEGIN_INTERRUPT = 4096, /* of interrupts alone */
    BEGIN_GATE = 8192,      /* x86: the guest says that interrupts enter its kernel there */
    BEGIN_FETCH = 1024,     /* made for the models: its lines are known (level_fetches()) */
};

struct block {
    /* Read at every entry: a line of the host's cache. */
    uint64_t charge; /* what its entry takes from its word (word.h); 0: it has none */
    uint64_t sum;    /* its part of `room` (room.h) */
    uint64_t pc;
    uint64_t
        inside; /* control that comes to so many addresses behind `pc` left it early; 0: none */
    uint16_t ends, begins;
    uint64_t marks; /* of a whole run */
    uint64_t most;  /* as `sum`, without its last instruction */
    uint16_t count;
    bool user;        /* x86: of users */
    bool last_marked; /* MARK_LAST, once or more */
    bool by_place;    /* how far it came is known by where control goes: progress.c */
    bool loops;       /* it may go to its own inside: its last instruction is marked */
    bool alone;       /* QEMU may have left another one to execute it */
    bool inlined;     /* its entry is translated code: entry.c */

    uint64_t next_pc; /* behind it */
    uint64_t pc_mask; /* the bits of addresses by which `next_pc` and `target` are told apart */
    uint64_t branch_pc, target; /* END_PREDICTED */
    unsigned branch_index;
    uint32_t total[STATIC_EVENTS];
    uint16_t line_count;
    struct line *lines;
    struct block *older; /* for freeing */
    struct step steps[];
};

/* A branch or repeated instruction that an interrupt left undecided: it is decided when the guest
 * comes back from the interrupt, by where it comes back to. */
struct undecided {
    uint64_t pc, next_pc, target; /* of the branch or instruction, behind it, where it goes */
    struct step slot;             /* graduates too if it went to `target`, resp. to `next_pc` */
    struct step left; /* `leaves`: went the guest back to `pc`, this one raised an exception */
    bool counts_slot, repeated, predicted, leaves;
};
#define UNDECIDED 8

/* Where a page of the guest's address space lies in RAM, as long as `mapping` is the CPU's. */
struct page_place {
    uint64_t page, mapping, place;
};
#define PAGE_PLACES 256

struct vcpu {
    /* Read or written at every block. */
    uint64_t
        *words; /* the two of word.h, the block, which translated code writes, too; the watch */
    bool user;
    bool armed;     /* its word holds the room */
    bool attention; /* the next entry must look closer: word_closer() */

    uint64_t room, granted; /* see room.h */
    uint8_t extra_count;    /* events to be added up that have no part in `room`: the first */
    uint8_t active_count;   /* of these, which are all */
    uint8_t active[STATIC_EVENTS];
    uint16_t start; /* the first instruction of the block not counted yet */

    struct qpmu_cpu pmu;
    unsigned index;
    uint64_t where; /* address of the instruction that is being counted */
    struct ring ring;
    uint64_t always;              /* events counted whatever the registers say */
    uint64_t wanted;              /* those that the registers ask for; other CPUs look at it */
    uint64_t used[STATIC_EVENTS]; /* when each was last asked for, in instructions + 1; 0: never */

    /* Mode, MIPS: KSU, ERL, EXL in the bits of Status. */
    uint32_t status, status_next;
    bool status_written, returning, by_site;

    /* Branches, repeated instructions. */
    const struct step *carried; /* a branch whose delay slot is the block that runs now */
    struct step carried_step;
    struct undecided undecided[UNDECIDED];
    unsigned undecided_count;
    struct qpmu_predictor predictor;
    struct qpmu_cache *l1d, *l1i;
    struct page_place pages[PAGE_PLACES];
    uint64_t mapping;        /* counts the changes of address translation */
    uint64_t running_models; /* events of the models that count now */

    /* LL and SC. */
    uint64_t ll_place, ll_value;
    unsigned ll_size;
    const struct step *sc;
    bool sc_equal, sc_stored;
    bool announced; /* a hypercall: its store is next */

    struct direct direct;
    struct calls calls;

    uint64_t own_words[EMU_WORDS]; /* before the CPU has begun */
    bool begun;

    unsigned resets;     /* of the machine that it has seen (reset.h) */
    bool stopped;        /* its memory is of another time (snapshot.h) */
    uint64_t stamp;      /* what the slot's has to be */
    uint64_t stamped_at; /* in instructions */
    struct block *kept;  /* a copy of `block` when blocks were forgotten */
} __attribute__((aligned(128)));

extern struct vcpu vcpus[MAX_VCPUS] __attribute__((visibility("hidden")));
extern bool one_vcpu;  /* else each runs in a thread of its own */
extern bool mips, big; /* the guest */
extern unsigned vcpu_count;
extern uint64_t vector_base;

static inline struct vcpu *vcpu_of(unsigned index)
{
    return &vcpus[emu_cpu(index) % MAX_VCPUS];
}

extern const struct block no_block;

/* The block that runs now; it is empty if not known. */
#define BLOCK_WORD 2u
static inline const struct block *block_now(const struct vcpu *cpu)
{
    return (const struct block *)(uintptr_t)cpu->words[BLOCK_WORD];
}

static inline void block_set(struct vcpu *cpu, const struct block *block)
{
    cpu->words[BLOCK_WORD] = (uintptr_t)block;
}

/* Why the next instruction that looks at it is to call (watch.h); 0: it is not. */
#define WATCH_WORD 3u
static inline uint64_t *watch_of(const struct vcpu *cpu)
{
    return &cpu->words[WATCH_WORD];
}

/* Whether the last instruction, an x86 one behind others, may cross into another page. QEMU then
 * takes it out of the block again, does not tell, and goes on with it. */
static inline bool block_crosses(const struct block *block)
{
    uint64_t pc = block->steps[block->count - 1].pc;

    return !mips && block->count > 1 && pc / 4096 != (pc + 14) / 4096;
}

/* Whether control that went on to NEXT went inside the block, which so was left early. */
static inline bool block_reaches(const struct block *block, const struct block *next)
{
    return next->pc - block->pc < block->inside;
}

/* What an instruction that was passed adds. */
static inline unsigned step_adds(const struct step *step, enum qpmu_event event)
{
    return step->insn.flags & QPMU_INSN_NEVER_GRADUATES ? qpmu_insn_adds_faulted(&step->insn, event)
                                                        : qpmu_insn_adds(&step->insn, event);
}

/* Whether an instruction that ends its block may raise an exception without a mark that tells. */
static inline bool step_unsure(const struct step *step)
{
    const uint32_t exempt = QPMU_INSN_NEVER_GRADUATES | QPMU_INSN_REP | QPMU_INSN_SC |
                            QPMU_INSN_JUMP | QPMU_INSN_COND_BRANCH;

    return step->insn.flags & QPMU_INSN_MAY_FAULT && !(step->insn.flags & exempt) && !step->returns;
}

/* Chooses what is added up at each block, after a register was written: what is asked for now, or
 * was so many instructions ago or less. */
#define RECENT (1ull << 26)
void vcpu_choose(struct vcpu *cpu);

#endif
