/* SPDX-License-Identifier: BSD-2-Clause */
/* Ring 3, for self-tests (Intel SDM volume 3, 5.8, 6.12, 7.7). */
#include <arch/user.h>
#include <arch/cpu.h>
#include <arch/memory.h>
#include <machine/frame.h>
#include "arch/x86_64/descriptor.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/user.h"

#define FLAGS_FIXED 0x2u
#define FLAGS_IF    0x200u

_Static_assert(offsetof(struct user_run, pc) == USER_RUN_PC, "user.h");
_Static_assert(offsetof(struct user_run, sp) == USER_RUN_SP, "user.h");
_Static_assert(offsetof(struct user_run, argument) == USER_RUN_ARGUMENT, "user.h");
_Static_assert(offsetof(struct user_run, called) == USER_RUN_CALLED, "user.h");
_Static_assert(offsetof(struct user_run, result) == USER_RUN_RESULT, "user.h");
_Static_assert(offsetof(struct user_run, at) == USER_RUN_AT, "user.h");

int user_map(void *code, void *data)
{
    int result = 0;

    for (uintptr_t at = 0; at < USER_SIZE && result == 0; at += MEMORY_PAGE) {
        result = paging_map_user(USER_CODE + at, memory_physical(code) + at);
        if (result == 0)
            result = paging_map_user(USER_DATA + at, memory_physical(data) + at);
    }
    return result;
}

void user_unmap(void)
{
    for (uintptr_t at = 0; at < USER_SIZE; at += MEMORY_PAGE) {
        paging_unmap_user(USER_CODE + at);
        paging_unmap_user(USER_DATA + at);
    }
}

void user_enter(struct user_run *run)
{
    uint64_t flags;

    __asm__ volatile("pushfq; popq %0" : "=r"(flags));
    user_enter_at(run, descriptor_kernel_stack(), (flags & FLAGS_IF) | FLAGS_FIXED);
    if (flags & FLAGS_IF)
        __asm__ volatile("sti" : : : "memory");
}

_Noreturn void user_fault(const struct trap_frame *frame)
{
    user_leave(*descriptor_kernel_stack(), frame->rip, frame->rax);
}
