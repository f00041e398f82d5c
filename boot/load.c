/* SPDX-License-Identifier: BSD-2-Clause */
/* The looks at how busy the system is begin with the devices. The core, which shows nothing of
 * them, is linked without. */
#include "boot/board_part.h"
#include "kernel/thread/load.h"

BOARD_PART(load, .devices = load_start);
