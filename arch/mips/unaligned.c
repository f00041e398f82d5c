/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores at an address that is no multiple of their size: the CPU refuses them (MIPS64
 * Architecture volume III, Address Error), and they are done here for the program. Not ll and sc,
 * which would not be atomic. Opcodes: volume II, tables A.2 and A.7.
 */
#include <arch/aspace.h>
#include <arch/copy.h>
#include <arch/frame.h>
#include <arch/user.h>
#include "arch/mips/trap.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/user.h"
#include "lib/string.h"

#define OPCODE(word)      ((word) >> 26)
#define CODE_LOAD         4u /* of Cause: address error */
#define CODE_STORE        5u
#define COP1X             19u
#define INDEXED(function) (64 + (function)) /* of COP1X, behind the opcodes */

/* What an instruction moves. */
struct access {
    uint8_t size;  /* bytes; 0: it is none of these */
    uint8_t shift; /* where the register's number is in the word */
    bool store, cp1;
    bool extends; /* its sign */
};

static const struct access accesses[INDEXED(16)] = {
    [33] = {2, 16, .extends = true},                    /* lh */
    [35] = {4, 16, .extends = true},                    /* lw */
    [37] = {2, 16},                                     /* lhu */
    [39] = {4, 16},                                     /* lwu */
    [41] = {2, 16, .store = true},                      /* sh */
    [43] = {4, 16, .store = true},                      /* sw */
    [49] = {4, 16, .cp1 = true},                        /* lwc1 */
    [53] = {8, 16, .cp1 = true},                        /* ldc1 */
    [55] = {8, 16},                                     /* ld */
    [57] = {4, 16, .store = true, .cp1 = true},         /* swc1 */
    [61] = {8, 16, .store = true, .cp1 = true},         /* sdc1 */
    [63] = {8, 16, .store = true},                      /* sd */
    [INDEXED(0)] = {4, 6, .cp1 = true},                 /* lwxc1 */
    [INDEXED(1)] = {8, 6, .cp1 = true},                 /* ldxc1 */
    [INDEXED(8)] = {4, 11, .store = true, .cp1 = true}, /* swxc1 */
    [INDEXED(9)] = {8, 11, .store = true, .cp1 = true}, /* sdxc1 */
};

static const struct access *unaligned_access_of(uint32_t word)
{
    if (OPCODE(word) != COP1X)
        return &accesses[OPCODE(word)];
    return &accesses[INDEXED((word & 63) < 16 ? word & 63 : 15)];
}

/* The bytes of a value of that size, in the machine's order, as they lie in memory. */
static uint64_t unaligned_value_of(const void *bytes, const struct access *access)
{
    uint16_t half;
    uint32_t word;
    uint64_t value;

    switch (access->size) {
    case 2:
        memcpy(&half, bytes, sizeof half);
        return access->extends ? (uint64_t)(int64_t)(int16_t)half : half;
    case 4:
        memcpy(&word, bytes, sizeof word);
        return access->extends ? (uint64_t)(int64_t)(int32_t)word : word;
    default:
        memcpy(&value, bytes, sizeof value);
        return value;
    }
}

static void unaligned_bytes_of(void *bytes, uint64_t value, unsigned size)
{
    uint16_t half = (uint16_t)value;
    uint32_t word = (uint32_t)value;

    memcpy(bytes, size == 2 ? (const void *)&half : size == 4 ? (const void *)&word : &value, size);
}

/* Number N of the program's, 0 where it cannot be written. */
static uint64_t *unaligned_register_of(struct trap_frame *frame, const struct access *access,
                                       unsigned n)
{
    if (access->cp1)
        return &thread_user_state()->registers[n];
    return n == 0 ? NULL : &frame->reg[n];
}

/* Of a register of CP1 the lower half may be all that is loaded. */
static void unaligned_load(uint64_t *to, const struct access *access, uint64_t value)
{
    if (!to)
        return;
    *to = access->cp1 && access->size == 4 ? (*to & ~0xffffffffull) | value : value;
    if (access->cp1)
        thread_user_state_changed();
}

static bool unaligned_move(struct trap_frame *frame, const struct access *access, uint32_t word)
{
    uint64_t *moved = unaligned_register_of(frame, access, word >> access->shift & 31);
    void *address = (void *)frame->badvaddr;
    uint8_t bytes[8];

    if (access->store) {
        unaligned_bytes_of(bytes, moved ? *moved : 0, access->size);
        return copyout(bytes, address, access->size) == 0;
    }
    if (copyin(address, bytes, access->size) != 0)
        return false;
    unaligned_load(moved, access, unaligned_value_of(bytes, access));
    return true;
}

enum user_access user_access_unaligned(struct trap_frame *frame, bool refuse)
{
    unsigned code = frame->cause >> 2 & 31;
    uint64_t pc = frame->epc + (frame->cause & CAUSE_BD ? 4 : 0), next;
    const struct access *access;
    uint32_t word;

    if ((code != CODE_LOAD && code != CODE_STORE) || frame->badvaddr == pc || pc % 4 != 0 ||
        frame->badvaddr > ASPACE_USER_END - 8 || copyin((const void *)pc, &word, sizeof word) != 0)
        return USER_ACCESS_OTHER;
    access = unaligned_access_of(word);
    if (access->size == 0 || frame->badvaddr % access->size == 0)
        return USER_ACCESS_OTHER;
    if (refuse)
        return USER_ACCESS_KEPT;
    next = branch_next(frame);
    if (next == 0 || !unaligned_move(frame, access, word))
        return USER_ACCESS_FAULT;
    frame->epc = next;
    return USER_ACCESS_DONE;
}
