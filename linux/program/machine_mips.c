/* SPDX-License-Identifier: BSD-2-Clause */
/* What system calls and programs are like on MIPS, n64. */
#include <arch/aspace.h>
#include <arch/copy.h>
#include <arch/user.h>
#include "kernel/thread/user.h"
#include "linux/program/call.h"
#include "linux/program/machine.h"
#include "linux/program/program.h"

const unsigned call_restart_number = 5213;

/* sysmips(2), of <asm/sysmips.h>. */
#define MIPS_FLUSH_CACHE 3
#define MIPS_FIXADE      7
#define MIPS_ATOMIC_SET  2001

#define V0 2
#define A3 7
#define T9 25
#define SP 29
#define RA 31

/* Errors from 35 on have other numbers. */
int abi_error(int error)
{
    static const uint16_t numbers[] = {
        [EDEADLK - 35] = 45,          [ENAMETOOLONG - 35] = 78,  [ENOLCK - 35] = 46,
        [ENOSYS - 35] = 89,           [ENOTEMPTY - 35] = 93,     [ELOOP - 35] = 90,
        [ENOMSG - 35] = 35,           [EIDRM - 35] = 36,         [EDESTADDRREQ - 35] = 96,
        [EPROTOTYPE - 35] = 98,       [ENOPROTOOPT - 35] = 99,   [EPROTONOSUPPORT - 35] = 120,
        [ESOCKTNOSUPPORT - 35] = 121, [EAFNOSUPPORT - 35] = 124, [ECONNRESET - 35] = 131,
        [EISCONN - 35] = 133,         [ENOTCONN - 35] = 134,     [ECONNREFUSED - 35] = 146,
        [ENODATA - 35] = 61,          [ETIME - 35] = 62,         [EOVERFLOW - 35] = 79,
        [EILSEQ - 35] = 88,           [ENOTSOCK - 35] = 95,      [EMSGSIZE - 35] = 97,
        [EOPNOTSUPP - 35] = 122,      [EADDRINUSE - 35] = 125,   [ENETDOWN - 35] = 127,
        [ENETUNREACH - 35] = 128,     [ENOBUFS - 35] = 132,      [ETIMEDOUT - 35] = 145,
        [EALREADY - 35] = 149,        [EINPROGRESS - 35] = 150,
    };
    unsigned at = (unsigned)error - 35;

    return at < sizeof numbers / sizeof *numbers && numbers[at] ? numbers[at] : error;
}

void call_set_result(struct trap_frame *frame, long result)
{
    bool error = CALL_IS_ERROR(result);

    frame->reg[V0] = error ? (uint64_t)abi_error((int)-result) : (uint64_t)result;
    frame->reg[A3] = error;
}

void call_set_number(struct trap_frame *frame, unsigned number)
{
    frame->reg[V0] = number;
}

long call_pair_out(struct trap_frame *frame, const int32_t numbers[2])
{
    frame->reg[3] = (uint64_t)numbers[1];
    return numbers[0];
}

void clone_frame(struct trap_frame *frame, uint64_t stack)
{
    if (stack != 0)
        frame->reg[SP] = stack;
}

void exec_frame(struct trap_frame *frame, uint64_t entry, uint64_t stack)
{
    user_frame_prepare(frame, USER_MODE_USER, entry, stack, 0);
    frame->reg[T9] = entry;
}

/* li v0, rt_sigreturn; syscall */
const void *exec_trampoline(size_t *size)
{
    static const uint32_t code[] = {0x24020000 | 5211, 0x0000000c};

    *size = sizeof code;
    return code;
}

uint64_t abi_hwcap(void)
{
    return 0;
}

uint64_t abi_signal_frame_most(void)
{
    return 0;
}

CALL(set_thread_area)
{
    user_state_set_tls(thread_user_state(), ARG(0));
    return 0;
}

/* A word becomes another; what it was is the result, an error or not. */
static long machine_mips_sysmips_atomic_set(struct trap_frame *frame, uintptr_t address,
                                            uint32_t new)
{
    uint32_t old = 0, found = 0;

    if (address % sizeof old != 0 || address > ASPACE_USER_END - sizeof old)
        return -EINVAL;
    do {
        old = found;
        if (copyswap((void *)address, &found, new) != 0)
            return -EFAULT;
    } while (found != old);
    frame->reg[V0] = (uint64_t)(int64_t)(int32_t)old;
    frame->reg[A3] = 0;
    return -CALL_KEEP;
}

/* sysmips(2). */
CALL(sysmips)
{
    switch (ARG(0)) {
    case MIPS_ATOMIC_SET:
        return machine_mips_sysmips_atomic_set(frame, ARG(1), ARG_U32(2));
    case MIPS_FIXADE:
        if ((ARG(1) & ~3ul) != 0)
            return -EINVAL;
        task_current()->aligned = (ARG(1) & 1) == 0;
        return 0;
    case MIPS_FLUSH_CACHE:
        return 0; /* coherent, see below */
    default:
        return -EINVAL;
    }
}

/* Caches are coherent here. */
CALL(cacheflush)
{
    (void)frame;
    return 0;
}
