/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.S knows of tlb.c. */
#pragma once

#define TLB_COUNT      56 /* struct evcnt: ev_cell0 */
#define TLB_USER_SHIFT 39 /* three levels of 512 words, and 4 KiB */
