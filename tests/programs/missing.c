/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that are not there. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    long first = syscall(SYS_io_uring_setup, 1, NULL);
    int error = errno;
    long second = syscall(460 + SYS_read, 1);

    printf("%ld %ld %s %d\n", first, second,
           error == ENOSYS && errno == ENOSYS ? "ENOSYS" : "other", error);
    return 0;
}
