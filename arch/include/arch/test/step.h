/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract, for self-tests: code run one instruction at a time. */
#pragma once

#include <stdbool.h>

/*
 * Runs FUNCTION(ARGUMENT) and calls BETWEEN, interrupts on, before each of its instructions but the
 * first; BETWEEN may sleep and may move the thread to another CPU. False where the machine cannot
 * (MIPS); then nothing has run. One thread at a time. The machine counts its
 * exceptions.
 */
bool trap_single_step(void (*function)(void *), void *argument, void (*between)(void));
