/* SPDX-License-Identifier: BSD-2-Clause */
/* What linux/hwperf*.c share. */
#pragma once

#include "kernel/hwperf/hwperf.h"
#include "linux/hwperf/hwperf.h"
#include "linux/program/program_private.h"

/* Somebody has ever asked for counters. */
extern bool hwperf_in_use;

/* A call of a program's begins: with hwperf_lock from now on. */
void hwperf_enter(void);
/* With hwperf_lock. Counters of PROGRAM's tasks start, 0 or a positive error with all stopped; or
 * stop. */
int hwperf_start_tasks(struct program *program);
void hwperf_stop_tasks(struct program *program);
/* The program of that number, with hwperf_lock: it stays until that is given up. NULL: it ends. */
struct program *hwperf_find_program(uint32_t id);
/* PROGRAM's block, made if there is none; NULL: no memory. */
struct hwperf_block *hwperf_block_of(struct program *program);
/* The same of its parent, if that is not the kernel; false: no memory. */
bool hwperf_block_of_parent(struct program *program);
/* SIGNAL (0: none) is what PROGRAM gets from now on: 0, ENOMEM. */
int hwperf_signal_set(struct program *program, int signal);
/* What is valid and permitted is put in force: the generation, or a negative error. ANEW: from 0,
 * with PROFILE, which is its own if that succeeds, or without (NULL). */
long hwperf_set(struct program *target, const struct hwperf_control *control, bool anew,
                struct hwperf_profile *profile);
/* 0, or -EPERM: modes that are root's. */
int hwperf_modes_permitted(const struct hwperf_control *control);
/* HWPERF_PROFENABLE. */
struct abi_hwperf_syssgi;
long hwperf_profile_begin(const struct abi_hwperf_syssgi *asked);
/* The running TASK is on its way to user mode; or is another program now, without such buckets. */
void hwperf_profile_deliver(struct task *task);
void hwperf_profile_exec(struct task *task);
/* The hits of PROGRAM's buckets by now are in its memory. With hwperf_lock. */
void hwperf_profile_flush(struct program *program);
/* It has hits; with program_lock, any context. */
void hwperf_profile_told(struct program *program);
/* Arguments of a program's, checked: 0, -EFAULT, -EINVAL, -ENODEV. */
int hwperf_control_in(uintptr_t user, struct hwperf_control *control);
