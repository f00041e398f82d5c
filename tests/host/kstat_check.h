/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparing numbers of kstats, most of which are signed. */
#ifndef TESTS_HOST_KSTAT_CHECK_H
#define TESTS_HOST_KSTAT_CHECK_H

#include "tests/host/test.h"

#define CHECK_IS(a, b)                                                                             \
    test_check_equal((uint64_t)(a), (uint64_t)(b), __FILE__, __LINE__, #a " is " #b)

#endif
