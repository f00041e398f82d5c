/* SPDX-License-Identifier: BSD-2-Clause */
/* The code itself, and its way into user mode; see pmu_code.h. */
#include "tests/kernel/pmu_code.h"
#include <arch/aspace.h>
#include "kernel/memory/page.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/user_run.h"
#include "lib/errno.h"
#include "lib/string.h"

#ifdef __mips__
#define STUB ".set push; .set noreorder; bal .+64; nop; syscall; nop; .set pop\n"
#define CODE(name, text)                                                                           \
    __asm__(".text; .balign 64; code_" name ": .set push; .set noreorder\n" text                   \
            "jr $31; nop; .set pop; code_" name "_end: .previous\n")
CODE("loop", "1: daddiu $4, $4, -1; bnez $4, 1b; nop\n");
CODE("memory", "ld $5, 0($4); 1: ld $6, 8($4); ld $7, 16($4); sd $6, 24($4); daddiu $5, $5, -1\n"
               "bnez $5, 1b; nop\n");
CODE("empty", "");
CODE("string", "");
CODE("walk", "lui $5, 0x41; move $6, $5; daddu $7, $5, $4; li $8, 10; beqz $4, 3f; nop\n"
             "ld $8, 0($6); 1: move $6, $5; 2: lbu $2, 0($6); daddiu $6, $6, 32\n"
             "bne $6, $7, 2b; nop; daddiu $8, $8, -1; bnez $8, 1b; nop; 3:\n");
CODE("branch", "daddiu $5, $4, 8; ld $6, 0($4); daddu $6, $6, $5\n"
               "1: lbu $7, 0($5); bnez $7, 2f; daddiu $5, $5, 1; nop; 2: bne $5, $6, 1b; nop\n");
#else
#define STUB "call .+64; int $0x80\n"
#define CODE(name, text)                                                                           \
    __asm__(".text; .balign 64; code_" name ":\n" text "ret; code_" name "_end: .previous\n")
CODE("loop", "1: decq %rdi; jnz 1b\n");
CODE("memory", "movq (%rdi), %rcx; 1: movq 8(%rdi), %rax; movq 16(%rdi), %rdx\n"
               "movq %rax, 24(%rdi); decq %rcx; jnz 1b\n");
CODE("empty", "");
CODE("string", "movq (%rdi), %rcx; addq $64, %rdi; rep stosb\n");
CODE("walk", "");
CODE("branch", "leaq 8(%rdi), %rsi; movq (%rdi), %rcx; addq %rsi, %rcx\n"
               "1: movzbl (%rsi), %eax; incq %rsi; testl %eax, %eax; jnz 2f; nop\n"
               "2: cmpq %rcx, %rsi; jne 1b\n");
#endif
#define FUNCTION_OFFSET 64u
#define USER_ORDER      5 /* two blocks of 64 KiB */

__asm__(".text; .balign 64; code_stub: " STUB "code_stub_end: .previous\n");

#define DECLARE(name)                                                                              \
    extern const char code_##name[], code_##name##_end[];                                          \
    const struct pmu_code pmu_code_##name = {code_##name, code_##name##_end}
DECLARE(loop);
DECLARE(memory);
DECLARE(empty);
DECLARE(string);
DECLARE(walk);
DECLARE(branch);
extern const char code_stub[], code_stub_end[];

static char *pages; /* code, data */
static struct aspace *space;

/* The code can be executed, the data written. */
static int map(void)
{
    int result = aspace_map(space, USER_CODE, memory_physical(pages), USER_SIZE,
                            ASPACE_READ | ASPACE_EXECUTE);

    return result ? result
                  : aspace_map(space, USER_DATA, memory_physical(pages + USER_SIZE), USER_SIZE,
                               ASPACE_READ | ASPACE_WRITE);
}

int pmu_code_user_prepare(const struct pmu_code *code, uint64_t word)
{
    int result;

    pages = page_alloc(USER_ORDER);
    if (!pages)
        return -ENOMEM;
    space = aspace_create();
    if (!space) {
        page_free(pages);
        return -ENOMEM;
    }
    memcpy(pages, code_stub, (uintptr_t)code_stub_end - (uintptr_t)code_stub);
    memcpy(pages + FUNCTION_OFFSET, code->start, (size_t)(code->end - code->start));
    memset(pages + USER_SIZE, 0, USER_SIZE);
    *(uint64_t *)(pages + USER_SIZE) = word;
    result = map();
    if (result != 0)
        pmu_code_user_done();
    return result;
}

void pmu_code_user_done(void)
{
    aspace_unmap(space, USER_CODE, 2 * USER_SIZE, NULL, NULL);
    aspace_destroy(space);
    page_free(pages);
}

void *pmu_code_user_data(void)
{
    return pages + USER_SIZE;
}

bool pmu_code_user(enum user_mode mode, uint64_t argument)
{
    struct user_run run = {
        .mode = mode, .pc = USER_CODE, .sp = USER_DATA + USER_SIZE, .argument = argument};
    struct aspace *before = thread_set_aspace(space);

    int result = user_enter(&run);

    thread_set_aspace(before);
    return result == 0 && run.called;
}

void pmu_code_kernel(const struct pmu_code *code, uint64_t argument)
{
    ((void (*)(uint64_t))(uintptr_t)code->start)(argument);
}
