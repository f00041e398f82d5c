/* SPDX-License-Identifier: BSD-2-Clause */
/* The page that an event is mapped with: each read tells it, and its lock is even again; and
 * somebody is woken whenever so much has come since the last time. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "loop.h"

#define PAGE     4096
#define PATIENCE 200 /* looks */

static int is_due(int fd)
{
    struct pollfd asked = {.fd = fd, .events = POLLIN};

    return poll(&asked, 1, 0);
}

static struct perf_event_mmap_page *page;

#define SAMPLE 16 /* bytes */
#define WAKING 5  /* samples: the first that are more than the watermark */

/* Whether somebody was woken by what comes in so many turns where that many had come, and where
 * not, not. The samples come some time later. */
static int wakes(int fd, unsigned long turns)
{
    unsigned long long before = page->data_head, head;

    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    loop(turns);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    for (int tries = 0; tries < PATIENCE; tries++) {
        head = page->data_head;
        usleep(50000);
        if (head != before && head == page->data_head)
            break;
    }
    return is_due(fd) == (head / SAMPLE / WAKING != before / SAMPLE / WAKING);
}

int main(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .size = sizeof attr,
        .disabled = 1,
        .exclude_kernel = 1,
        .sample_period = 10000,
        .sample_type = PERF_SAMPLE_IP,
        .watermark = 1,
        .wakeup_watermark = (WAKING - 1) * SAMPLE,
    };
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    unsigned long long got;

    page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return 1;
    for (int i = 0; i < 3; i++)
        (void)!read(fd, &got, sizeof got);
    printf("lock %u\n", page->lock);
    printf("wakes");
    for (int i = 0; i < 6; i++)
        printf(" %d %d", wakes(fd, 100000), wakes(fd, 10000));
    printf("\n%s\n", page->data_head < PAGE ? "all" : "some");
    return 0;
}
