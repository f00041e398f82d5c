/* SPDX-License-Identifier: BSD-2-Clause */
/* devstat(3), for programs. */
#include "../../stats/include/devstat.h"
