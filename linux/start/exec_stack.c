/* SPDX-License-Identifier: BSD-2-Clause */
/* The first stack of a program: its strings, what points to them, and what the kernel tells. */
#include <arch/copy.h>
#include "fs/dev/dev.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "linux/start/exec.h"
#include "linux/program/program_private.h"
#include "linux/program/machine.h"

#define RANDOM_SIZE 16u
#define VECTOR_MAX  40u
#define CLOCK_TICKS 100u

/* Auxiliary vector (getauxval(3)). */
enum {
    AT_NULL,
    AT_PHDR = 3,
    AT_PHENT,
    AT_PHNUM,
    AT_PAGESZ,
    AT_BASE,
    AT_FLAGS,
    AT_ENTRY,
    AT_UID = 11,
    AT_EUID,
    AT_GID,
    AT_EGID,
    AT_PLATFORM,
    AT_HWCAP,
    AT_CLKTCK,
    AT_SECURE = 23,
    AT_RANDOM = 25,
    AT_EXECFN = 31,
    AT_MINSIGSTKSZ = 51,
};

static unsigned exec_vector(const struct elf_image *image, const struct program *program,
                            uint64_t random, uint64_t name, uint64_t platform, uint64_t *out)
{
    const uint64_t pairs[][2] = {
        {AT_PHDR, image->headers},
        {AT_PHENT, 56},
        {AT_PHNUM, image->header_count},
        {AT_PAGESZ, 4096},
        {AT_BASE, 0},
        {AT_FLAGS, 0},
        {AT_ENTRY, image->entry},
        {AT_UID, program->uid},
        {AT_EUID, program->euid},
        {AT_GID, program->gid},
        {AT_EGID, program->egid},
        {AT_PLATFORM, platform},
        {AT_HWCAP, abi_hwcap()},
        {AT_CLKTCK, CLOCK_TICKS},
        {AT_SECURE, program->uid != program->euid || program->gid != program->egid},
        {AT_RANDOM, random},
        {AT_EXECFN, name},
        {abi_signal_frame_most() ? AT_MINSIGSTKSZ : AT_NULL, abi_signal_frame_most()},
        {AT_NULL, 0},
    };

    _Static_assert(sizeof pairs <= VECTOR_MAX * sizeof *out, "VECTOR_MAX");
    memcpy(out, pairs, sizeof pairs);
    return sizeof pairs / sizeof *out;
}

uint64_t exec_stack(const struct elf_image *image, const struct exec_strings *strings,
                    struct program *program, const char *path)
{
    size_t words = 1 + strings->arguments + 1 + strings->variables + 1 + VECTOR_MAX, n = 0, before;
    uint64_t name = EXEC_STACK_TOP - 8 - (strlen(path) + 1), text = name - strings->used;
    uint64_t platform = text - sizeof ABI_PLATFORM, random = (platform - RANDOM_SIZE) & ~15ull;
    uint64_t at = text, sp, *vector = kmem_zalloc(words * sizeof *vector);
    uint8_t bytes[RANDOM_SIZE];
    int error;

    if (!vector)
        return 0;
    vector[n++] = strings->arguments;
    for (uint32_t i = 0; i < strings->arguments + strings->variables; i++) {
        if (i == strings->arguments)
            vector[n++] = 0;
        vector[n++] = at;
        at += strlen(strings->text + (at - text)) + 1;
    }
    if (strings->variables == 0)
        n++;
    n++;
    before = n;
    n += exec_vector(image, program, random, name, platform, vector + n);
    sp = (random - n * sizeof *vector) & ~15ull;
    random_bytes(bytes, sizeof bytes);
    error = copyout(vector, (void *)sp, n * sizeof *vector);
    error |= copyout(bytes, (void *)random, sizeof bytes);
    error |= copyout(ABI_PLATFORM, (void *)platform, sizeof ABI_PLATFORM);
    error |= copyout(strings->text, (void *)text, strings->used);
    error |= copyout(path, (void *)name, strlen(path) + 1);
    kmem_free(vector);
    program->arguments = text;
    program->arguments_end = text + strings->arguments_used;
    program->environment_end = text + strings->used;
    program->auxiliary = sp + before * sizeof *vector;
    program->auxiliary_end = sp + n * sizeof *vector;
    return error == 0 ? sp : 0;
}
