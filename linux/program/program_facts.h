/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of a program, whoever asks: /proc, kstats, ps and top. */
#pragma once

#include "kernel/vm/vm.h"
#include "linux/program/program.h"

/* Read at one moment, but for what its memory counts. */
struct program_facts {
    bool left_tty;
    uint32_t id, parent, group, session, uid, euid, suid, fsuid, gid, egid, sgid, fsgid, threads;
    uint32_t cpu; /* of its first thread; of one that has ended 0, and so the next */
    uint8_t priority;
    char state; /* R runs or is ready, S sleeps, T stopped, Z ended */
    bool no_new_privileges;
    int32_t nice, policy, umask; /* umask: -1 of one that has ended */
    int32_t status;              /* as wait tells it, once it has ended */
    uint32_t exit_signal, affinity;
    uint64_t resident_limit;
    uintptr_t arguments, arguments_end, environment_end;
    uint64_t started_ns;
    struct vm_sizes sizes;
    struct program_usage usage, children; /* children: those it has waited for */
    struct signal_set pending, blocked, ignored, handled;
    struct signal_set pending_first; /* its first thread's */
    char name[THREAD_NAME_LENGTH];
};

/* False: PROCESS runs no program, or it is gone. Thread context. */
bool program_facts_get(struct process *process, struct program_facts *facts);
/* The program with the lowest number above ID; 0 begins. False: there is none. */
bool program_facts_next(uint32_t id, struct program_facts *facts);
