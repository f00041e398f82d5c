/* SPDX-License-Identifier: BSD-2-Clause */
/* What system calls and programs are like on x86_64. */
#include <arch/cpu.h>
#include <arch/user.h>
#include "kernel/thread/user.h"
#include "lib/string.h"
#include "linux/program/call.h"
#include "linux/program/machine.h"

#define ARCH_SET_GS 0x1001
#define ARCH_SET_FS 0x1002
#define ARCH_GET_FS 0x1003
#define ARCH_GET_GS 0x1004

#define STATE_FLAGS_IF 0x200u

const unsigned call_restart_number = 219;

void call_set_result(struct trap_frame *frame, long result)
{
    frame->rax = (uint64_t)result;
}

void call_set_number(struct trap_frame *frame, unsigned number)
{
    frame->rax = number;
}

long call_pair_out(struct trap_frame *frame, const int32_t numbers[2])
{
    return copyout(numbers, ARG_PTR(0), 2 * sizeof *numbers);
}

void clone_frame(struct trap_frame *frame, uint64_t stack)
{
    if (stack != 0)
        frame->rsp = stack;
}

void exec_frame(struct trap_frame *frame, uint64_t entry, uint64_t stack)
{
    user_frame_prepare(frame, USER_MODE_USER, entry, stack, 0);
    frame->vector = FRAME_CALL_INSTRUCTION;
}

const void *exec_trampoline(size_t *size)
{
    *size = 0;
    return NULL;
}

uint64_t abi_hwcap(void)
{
    uint32_t features[4];

    cpuid(1, features);
    return features[3];
}

CALL(arch_prctl)
{
    uint64_t base;

    switch (ARG_INT(0)) {
    case ARCH_SET_FS:
        if (ARG(1) >= 0x7ffffffff000ul)
            return -EPERM;
        user_state_set_tls(thread_user_state(), ARG(1));
        thread_user_state_changed();
        return 0;
    case ARCH_GET_FS:
        base = user_state_tls(thread_user_state());
        return copyout(&base, ARG_PTR(1), sizeof base);
    default:
        return -EINVAL;
    }
}
