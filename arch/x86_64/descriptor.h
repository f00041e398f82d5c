/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments, task state and interrupt descriptors. Boot, once per CPU, on that CPU. */
#pragma once

void descriptor_boot(unsigned cpu);
