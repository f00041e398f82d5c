/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up 64 KiB of initialised data, and then spoils them: the next run must not see it. */
#include <stdio.h>

static unsigned char data[65536] = {[0] = 1, [4095] = 2, [4096] = 3, [40000] = 4, [65535] = 5};

int main(void)
{
    volatile unsigned char *at = data;
    unsigned long sum = 0;

    for (unsigned i = 0; i < sizeof data; i++) {
        sum += at[i];
        at[i] = 9;
    }
    printf("sum %lu\n", sum);
    return sum != 1 + 2 + 3 + 4 + 5;
}
