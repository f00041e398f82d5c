/* SPDX-License-Identifier: BSD-2-Clause */
/* evcnt(9) for programs: the records of sysctl kern.evcnt, and of kern.evcnt.TYPE.NONZERO. */
#ifndef QUIPU_SYS_EVCNT_H
#define QUIPU_SYS_EVCNT_H

#include "../../../stats/evcnt/evcnt_export.h"

#define EVCNT_TYPE_ANY  (-1)
#define EVCNT_TYPE_MISC 0
#define EVCNT_TYPE_INTR 1
#define EVCNT_TYPE_TRAP 2

#endif
