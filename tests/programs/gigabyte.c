/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps a gigabyte, touches a part of it page by page, and unmaps it page by page. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define SIZE (1ul << 30)
#define PAGE 4096ul
#define STEP 32

int main(void)
{
    char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct rusage before, after;
    unsigned long sum = 0, failed = 0;

    if (memory == MAP_FAILED)
        return 1;
    getrusage(RUSAGE_SELF, &before);
    for (unsigned long at = 0; at < SIZE; at += PAGE * STEP)
        memory[at] = (char)(at / PAGE / STEP);
    getrusage(RUSAGE_SELF, &after);
    for (unsigned long at = 0; at < SIZE; at += PAGE * STEP)
        sum += (unsigned char)memory[at];
    for (unsigned long at = 0; at < SIZE; at += PAGE)
        failed += munmap(memory + at, PAGE) != 0;
    printf("sum %lu failed %lu faults %d\n", sum, failed,
           after.ru_minflt - before.ru_minflt >= (long)(SIZE / PAGE / STEP));
    return 0;
}
