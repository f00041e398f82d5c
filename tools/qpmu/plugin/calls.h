/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows calls and returns (shadow.h) while a guest wants its records with the chains of calls.
 * Calls and returns end their blocks, and a block is counted when the next one begins: so what the
 * last one does waits until then.
 */
#ifndef QPMU_PLUGIN_CALLS_H
#define QPMU_PLUGIN_CALLS_H

#include "tools/qpmu/shadow.h"

#include <stdbool.h>
#include <stdint.h>

struct block;
struct vcpu;
struct qemu_plugin_tb;

/* What a block's end has done, and its CPU's stack does not know yet. */
enum calls_end { CALLS_NONE, CALLS_CALLED, CALLS_RETURNED };

struct calls {
    struct shadow_at where;
    struct shadow_tag link; /* MIPS: of what is in register 31 */
    enum calls_end end;
    uint64_t block;       /* whose end it is: its address */
    uint64_t at, to;      /* the instruction; where a call leads to, 0: not known */
    uint64_t back;        /* where it returns to, or returned to */
    uint64_t slot, place; /* x86: where the return address lies */
    const void *begun;    /* x86: the call or return that is being executed */
    uint64_t jumped;      /* x86: the jump that may have left functions; 0: none */
    bool stopped;         /* the block that was left did not run to its end */
    bool told;            /* QEMU has told of an interrupt or exception */
};

/* For a block that is being translated. */
void calls_ask(const struct block *block, struct qemu_plugin_tb *translation);

/* BLOCK has been left, and counted; NEXT begins; USER: the mode before. Before the new mode is
 * known, and behind it. */
void calls_arrived(struct vcpu *cpu, const struct block *block, const struct block *next,
                   bool user);
/* The mode that a CPU was left in by what has been counted. */
bool calls_user(const struct vcpu *cpu);
/* QEMU tells of an interrupt or exception at FROM; BLOCK was left. Before mode_vectored. */
void calls_interrupted(struct vcpu *cpu, const struct block *block, uint64_t from);

/* The callers of an instruction of the block that is being counted: see shadow_chain. */
uint32_t calls_chain(struct vcpu *cpu, uint64_t *words, uint32_t room, bool *whole, bool *cut);

/* A guest tells what is on one of its stacks: struct qpmu_stack of qpmu.h, at a place in RAM. */
void calls_told(uint64_t place);

/* No CPU runs, and following begins or ends: nothing is known. */
void calls_forget(void);

#endif
