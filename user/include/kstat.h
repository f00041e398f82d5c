/* SPDX-License-Identifier: BSD-2-Clause */
/* libkstat(3), for programs. */
#include "../../stats/include/kstat.h"
