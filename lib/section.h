/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a variable goes in the image, for those to which it matters. */
#pragma once

/*
 * For large buffers: zeroed data outside of what each CPU has a copy of (linker.ld). No event
 * counter, and nothing else that a CPU has for itself, may lie there.
 */
#define SHARED_BSS __attribute__((section(".bss..shared")))
