/* SPDX-License-Identifier: BSD-2-Clause */
/* The log ring: bytes, the oldest overwritten; a line never splits because of an interrupt. */
#include "kernel/console/log_ring.h"
#include "kernel/base/boot_word.h"
#include "kernel/time/clock.h"
#include "kernel/console/console.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/base/log.h"
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"

#define LOG_SIZE 16384u /* power of two */
#define LINE_MAX 256

BOOT_WORD(quiet, "quiet", "", "keep the boot log off the console; dmesg still has it");

static SHARED_BSS char ring[LOG_SIZE];
static size_t written; /* bytes ever; spinlock */
static bool to_console;
static bool holding;     /* somebody edits a line on the console; log_lock */
static size_t held_from; /* the first byte that he has not got yet; he alone */
static struct spinlock log_lock = SPINLOCK_INITIALIZER("log");

bool log_to_console(bool on)
{
    bool before = to_console;

    to_console = on;
    return before;
}

/* With the lock held. */
static void log_ring_put(const char *line, size_t length)
{
    size_t at = written % LOG_SIZE, first = LOG_SIZE - at < length ? LOG_SIZE - at : length;

    memcpy(ring + at, line, first);
    memcpy(ring, line + first, length - first);
    written += length;
}

void log_vprintf(const char *fmt, va_list arguments)
{
    char line[LINE_MAX];
    uint64_t now = clock_now() / 1000;
    size_t length;
    uintptr_t state;
    bool held;

    length = format(line, sizeof line, "[%5lu.%06lu] ", (unsigned long)(now / 1000000),
                    (unsigned long)(now % 1000000));
    length += vformat(line + length, sizeof line - length - 1, fmt, arguments);
    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    state = spinlock_acquire(&log_lock);
    log_ring_put(line, length);
    held = holding;
    spinlock_release(&log_lock, state);
    if (!to_console)
        return;
    if (held)
        console_nudge();
    else if (!interrupt_active())
        console_write(line, length);
}

/* For a reader; in a panic another CPU may have stopped with the lock taken. */
static uintptr_t log_ring_lock(void)
{
    return panic_in_progress() ? 0 : spinlock_acquire(&log_lock);
}

static void log_ring_unlock(uintptr_t state)
{
    if (!panic_in_progress())
        spinlock_release(&log_lock, state);
}

/* Where the first line begins of which it is known that it is whole: the byte before is kept. */
static size_t log_ring_oldest(void)
{
    size_t start = written > LOG_SIZE ? written - LOG_SIZE : 0;

    while (start > 0 && start < written && ring[start++ % LOG_SIZE] != '\n')
        continue;
    return start;
}

size_t log_read(size_t *offset, char *buffer, size_t size)
{
    uintptr_t state = log_ring_lock();
    size_t count = 0;

    if (*offset + LOG_SIZE < written)
        *offset = log_ring_oldest();
    for (; count < size && *offset < written; count++)
        buffer[count] = ring[(*offset)++ % LOG_SIZE];
    log_ring_unlock(state);
    return count;
}

size_t log_tail(unsigned lines)
{
    uintptr_t state = log_ring_lock();
    size_t start = log_ring_oldest(), position = written;

    while (position > start) {
        if (ring[(position - 1) % LOG_SIZE] == '\n' && position != written && lines-- <= 1)
            break;
        position--;
    }
    log_ring_unlock(state);
    return position;
}

void log_hold(void)
{
    uintptr_t state = spinlock_acquire(&log_lock);

    holding = true;
    held_from = written;
    spinlock_release(&log_lock, state);
}

size_t log_held(char *buffer, size_t size)
{
    return to_console ? log_read(&held_from, buffer, size) : 0;
}

bool log_release(void)
{
    uintptr_t state = spinlock_acquire(&log_lock);

    holding = to_console && held_from != written;
    spinlock_release(&log_lock, state);
    return !holding;
}
