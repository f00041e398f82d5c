/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9) as far as programs see it; <pmc.h> has the library's calls. */
#ifndef QUIPU_PROGRAM
#define QUIPU_PROGRAM
#endif
#include "../../../stats/include/sys/pmc.h"
