/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that are not there, however far away their numbers are. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_missing(long number)
{
    return syscall(number, 1, NULL) == -1 && errno == ENOSYS;
}

int main(void)
{
    unsigned unknown = 0, others = 0;

    if (is_missing(460 + SYS_read)) /* the first */
        unknown++;
    for (unsigned bit = 12; bit < 64; bit++)
        if (is_missing((long)(1ull << bit)) && is_missing(-(long)(1ull << bit)))
            unknown += 2;
        else
            others++;
    printf("%s, %u unknown, %u others\n", is_missing(SYS_io_uring_setup) ? "ENOSYS" : "other",
           unknown, others);
    return 0;
}
