/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipe's room, page by page, and what becomes of bytes that cannot be read or written. */
#include "conform.h"
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>

static int ends[2];
static char bytes[200000], *memory; /* memory: a page, and behind it nothing */

static void begin(int capacity)
{
    if (pipe2(ends, O_NONBLOCK) != 0)
        exit(98);
    if (capacity > 0)
        TEST(fcntl(ends[1], F_SETPIPE_SZ, capacity));
}

static void end(void)
{
    close(ends[0]);
    close(ends[1]);
}

static int pending(void)
{
    int number = -1;

    return ioctl(ends[0], FIONREAD, &number) == 0 ? number : -1;
}

static int ready(void)
{
    struct pollfd both[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}};

    poll(both, 2, 0);
    return both[0].revents | both[1].revents << 8;
}

static long put(size_t size)
{
    return write(ends[1], bytes, size);
}

static long get(size_t size)
{
    return read(ends[0], bytes, size);
}

/* One byte left in a page keeps it. */
static void rooms(void)
{
    begin(16384);
    TEST(put(1));
    TEST(put(100000));
    TEST(put(4095));
    TEST(put(1));
    TEST(pending());
    TEST(ready());
    TEST(get(4095));
    TEST(ready());
    TEST(put(1));
    TEST(get(1));
    TEST(ready());
    TEST(put(4097));
    TEST(pending());
    TEST(put(1));
    TEST(get(100000));
    TEST(ready());
    end();
}

/* What is beyond whole pages goes behind the last byte, if all of it fits. */
static void beyond(void)
{
    begin(16384);
    TEST(put(1000));
    TEST(put(3000));
    TEST(put(96));
    TEST(put(97));
    TEST(put(8192 + 3999));
    TEST(pending());
    TEST(ready());
    TEST(put(1));
    TEST(get(4096));
    TEST(put(5000));
    TEST(put(1));
    TEST(pending());
    TEST(get(100000));
    for (int i = 0; i < 4; i++)
        TEST(put(4000));
    TEST(put(97));
    TEST(put(96));
    TEST(put(1));
    TEST(get(1));
    TEST(put(1));
    TEST(pending());
    end();
}

static void sizes(void)
{
    begin(0);
    TEST(fcntl(ends[0], F_GETPIPE_SZ));
    for (int i = 0; i < 3; i++)
        TEST(put(4096));
    TEST(get(4095));
    TEST(fcntl(ends[0], F_SETPIPE_SZ, 8192));
    TEST(fcntl(ends[0], F_SETPIPE_SZ, 12288));
    TEST(get(1));
    TEST(fcntl(ends[0], F_SETPIPE_SZ, 8192));
    TEST(ready());
    TEST(fcntl(ends[0], F_SETPIPE_SZ, 1));
    TEST(fcntl(ends[0], F_SETPIPE_SZ, 65536));
    TEST(ready());
    TEST(get(100000));
    TEST(fcntl(ends[0], F_SETPIPE_SZ, 0));
    TEST(put(100000));
    end();
}

/* Nothing of a page of which a part cannot be read is written, nothing of one taken that cannot be
 * written. */
static void faults(void)
{
    struct iovec good_bad[2] = {{bytes, 100}, {memory + 4096, 100}};
    struct iovec more_bad[2] = {{bytes, 5000}, {memory + 4096, 100}};
    struct iovec bad_good[2] = {{memory + 4096, 100}, {bytes, 100}};
    struct iovec page_bad[2] = {{bytes, 4096}, {memory + 4096, 4096}};

    begin(0);
    TEST(writev(ends[1], good_bad, 2));
    TEST(pending());
    end();
    begin(0);
    TEST(writev(ends[1], more_bad, 2));
    TEST(pending());
    end();
    begin(0);
    TEST(put(10));
    TEST(writev(ends[1], bad_good, 2));
    TEST(writev(ends[1], good_bad, 2));
    TEST(pending());
    TEST(writev(ends[1], page_bad, 2));
    TEST(pending());
    end();
    begin(0);
    TEST(put(300));
    TEST(readv(ends[0], good_bad, 2));
    TEST(pending());
    TEST(read(ends[0], memory + 4000, 200));
    TEST(read(ends[0], memory + 4000, 96));
    TEST(pending());
    TEST(read(ends[0], memory + 4096, 1));
    TEST(put(5000));
    TEST(pending());
    TEST(readv(ends[0], more_bad, 2));
    TEST(pending());
    end();
}

int main(void)
{
    memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(memory + 4096, 4096);
    rooms();
    beyond();
    sizes();
    faults();
    return 0;
}
