/* SPDX-License-Identifier: BSD-2-Clause */
/* execve: what a program begins with, and how it gets into memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/vm/vm.h"

struct file;
struct path_walk;
struct vnode;
struct program;
struct trap_frame;
struct vm;

#define EXEC_STRING_MAX 131072u
#define EXEC_STACK_TOP  VM_TOP

/* Arguments and environment: strings with their NULs, one after another. */
struct exec_strings {
    char *text; /* kmem */
    size_t used, room, limit;
    uint32_t arguments, variables; /* how many */
    size_t arguments_used;         /* bytes of the former */
};

/* Appends a string of the kernel's or a program's: 0, -E2BIG, -EFAULT, -ENOMEM. */
int exec_string_add(struct exec_strings *strings, const char *text);
int exec_string_add_user(struct exec_strings *strings, const void *user);
void exec_strings_free(struct exec_strings *strings);

/* An executable, looked at but not in memory yet. */
struct elf_image {
    uint64_t entry, headers; /* addresses */
    uint16_t header_count, machine_flags;
    uint64_t end; /* of all segments: where the heap begins */
    bool executes_stack;
    uint64_t bss, bss_size; /* to be zeroed, once the memory is the program's */
};

/* HEAD is the file's beginning. Maps FILE into VM: 0; -ENOEXEC, -ENOMEM, -EIO, -ENOENT (wants an
 * interpreter). */
int elf_map(struct file *file, const void *head, size_t head_size, struct vm *vm,
            struct elf_image *out);

/* From EXEC_STACK_TOP down: what strings there are, then words that point to them, then what the
 * kernel tells. The memory is the program's already. Returns the stack pointer, 0 if there is no
 * room. */
uint64_t exec_stack(const struct elf_image *image, const struct exec_strings *strings,
                    struct program *program, const char *path);

/*
 * The running thread's program becomes what is at PATH, or (not NULL) GIVEN, with STRINGS, which it
 * takes over. On success *FRAME is what its user mode begins with; a negative errno means that
 * nothing has changed. What fails in between ends the program.
 */
int exec_run(const struct path_walk *walk, char *path, struct vnode *given,
             struct exec_strings *strings, struct trap_frame *frame);
