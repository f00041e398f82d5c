/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of <sys/devicestat.h>, for programs. */
#include "../../../../stats/evcnt/histogram.h"
