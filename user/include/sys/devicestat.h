/* SPDX-License-Identifier: BSD-2-Clause */
/* devstat(3): the record, for programs. */
#include "../../../stats/include/sys/devicestat.h"
