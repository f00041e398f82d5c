/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel, for the shell say, starts programs. Thread context, a thread of process 0. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct file;

struct launch {
    const char *path; /* from the root */
    int argc;
    char *const *argv;
    const char *const *environment; /* ends with NULL */
    struct file *files[3];          /* descriptors 0 to 2; each is held anew. NULL: none */
    uint32_t group;                 /* to join; 0: one of its own, which becomes the terminal's */
    bool background;                /* the terminal stays whose it is */
};

/* Starts it: 0 with *ID, which program_wait_kernel waits for; or a negative errno, execve's. */
int launch_program(const struct launch *launch, uint32_t *id);
