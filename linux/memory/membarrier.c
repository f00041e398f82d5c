/* SPDX-License-Identifier: BSD-2-Clause */
/* membarrier(2): every CPU passes a barrier before the call returns. */
#include "kernel/cpu/cross_call.h"
#include "linux/program/program_private.h"

/* linux/membarrier.h */
#define QUERY            0u
#define GLOBAL           1u
#define GLOBAL_EXPEDITED 2u
#define GLOBAL_REGISTER  4u
#define PRIVATE          8u
#define PRIVATE_REGISTER 16u
#define KNOWN            (GLOBAL | GLOBAL_EXPEDITED | GLOBAL_REGISTER | PRIVATE | PRIVATE_REGISTER)

/* The interrupt is one already; this says so. */
static void membarrier_here(void *unused)
{
    (void)unused;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

CALL(membarrier)
{
    struct program *program = task_current()->program;

    if (ARG_U32(1) != 0)
        return -EINVAL;
    switch (ARG_U32(0)) {
    case QUERY:
        return KNOWN;
    case GLOBAL_REGISTER:
        return 0;
    case PRIVATE_REGISTER:
        program->barriers = true;
        return 0;
    case PRIVATE:
        if (!program->barriers)
            return -EPERM;
        break;
    case GLOBAL:
    case GLOBAL_EXPEDITED:
        break;
    default:
        return -EINVAL;
    }
    cross_call_all(membarrier_here, NULL);
    return 0;
}
