/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the pmc tests. */
#ifndef TESTS_HOST_PMC_CHECK_H
#define TESTS_HOST_PMC_CHECK_H

#include "tests/host/test.h"

/* Calls that return an int or a count. */
#define GIVES(call, number) CHECK_EQUAL((uint64_t)(call), (uint64_t)(number))

#endif
