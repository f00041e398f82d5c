/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a variable goes in the image, for those to which it matters. */
#pragma once

/*
 * For data of which there is one, zeroed or with a value: outside of what each CPU has a copy of
 * (linker.ld), which shrinks by it. Nothing that a CPU has for itself may lie there. An event
 * counter may, as in memory that was allocated: it is raised by a pointer, never by its name, which
 * would be taken for that of one with copies (tests/qemu/test_smp_boot.py).
 */
#define SHARED_BSS  __attribute__((section(".bss..shared")))
#define SHARED_DATA __attribute__((section(".data..shared")))

/*
 * For a stack that each CPU has for itself: nobody reads there what was not written before, so that
 * another CPU's is not zeroed.
 */
#define CPU_STACK __attribute__((section(".bss..stacks"), aligned(16)))
