/* SPDX-License-Identifier: BSD-2-Clause */
/* A panic on its way: what the machine does for the report. */
#pragma once

struct trap_frame;

/* Where smp_stop_others brings the other CPUs: keeps what FRAME was doing for the report, and
 * stops. */
_Noreturn void panic_stopped(struct trap_frame *frame);

/* For the machine's part of the report: registers. Only while panicking. */
void panic_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
