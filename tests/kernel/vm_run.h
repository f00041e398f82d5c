/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of a process's memory: a job in a process that has an empty one, whose faults it answers.
 */
#pragma once

#include <arch/aspace.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/memory/page.h"
#include "kernel/process/process.h"
#include "kernel/vm/vm.h"
#include "kernel/vm/vm_fault.h"

#define VM_AT 0x40000000ul
#define VM_RW (ASPACE_READ | ASPACE_WRITE)
#define VM_RX (ASPACE_READ | ASPACE_EXECUTE)

/* Runs JOB in a process; 0 if it returned 0 and, when the process had ended, its pages were as many
 * as before. Else the test has failed, and has said why. */
int vm_run(int (*job)(struct vm *vm));
/* Pages of processes now, and of tables. */
uint64_t vm_run_pages(void);
uint64_t vm_run_tables(void);
/* The counter of group "uvm" with that name. */
uint64_t vm_run_counter(const char *name);
struct process_faults vm_run_faults(void); /* of the process */

/* A word of user memory by copyout, copyin: whether that was possible. */
bool vm_write(uintptr_t address, uint64_t value);
bool vm_read(uintptr_t address, uint64_t *value);
/* Writes to the first COUNT pages from ADDRESS on their number + SEED; how many could be. */
unsigned vm_write_pages(uintptr_t address, unsigned count, uint64_t seed);
/* How many of them hold that. */
unsigned vm_pages_with(uintptr_t address, unsigned count, uint64_t seed);
/* vm_map of PAGES without object at exactly ADDRESS. */
int vm_map_at(struct vm *vm, uintptr_t address, unsigned pages, unsigned rights, unsigned flags);
