/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands that run at the same time, each in a thread of its own, what one prints being what the
 * next reads. The thread that asked for it waits, and passes on what interrupts it: ^C and `stop`
 * are for all of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/console/console.h"
#include "kernel/thread/mutex.h"

struct launch;
struct thread;

struct pipeline {
    struct console_owner owner; /* first: told of the terminal's ^C */
    struct thread *leader;      /* that waits */
    bool background;
    volatile bool signalled; /* the terminal has told the programs of the last ^C itself */
    kmutex_t starting;       /* of the next two; held while a program starts */
    bool interrupted;        /* nothing starts any more */
    uint32_t group;          /* of its programs; 0: none has begun */
    struct spinlock lock;    /* of the next two */
    struct wait_queue ended;
    unsigned running;
    unsigned count;
    struct stage *stages;
};

/* launch_program for a command of it: of one group with the others. -EINTR: no more. */
int pipeline_launch(struct pipeline *pipeline, struct launch *launch, uint32_t *id);
