/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments, task state and interrupt descriptors. Boot, once per CPU. */
#pragma once

void descriptor_boot(void);
