/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's two rings, and one writer at a time. */
#include "kernel/console.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include <sys/devicestat.h>
#include "kernel/clock.h"
#include "kernel/cpu.h"
#include "kernel/interrupt.h"
#include "kernel/late.h"
#include "kernel/panic.h"
#include "kernel/thread.h"
#include "kernel/wait.h"
#include "lib/section.h"
#include "stats/kstat_queue.h"

#define OUTPUT_SIZE 4096u  /* powers of two */
#define INPUT_SIZE  16384u /* what is typed ahead, and a burst before a thread gets to run */
#define INTERRUPT   3      /* ^C */

struct ring {
    uint32_t head, tail; /* bytes ever put in, ever taken out */
};

/* All of this is under console_lock. */
static char output_bytes[OUTPUT_SIZE] SHARED_BSS, input_bytes[INPUT_SIZE] SHARED_BSS;
static struct ring output SHARED_BSS, input SHARED_BSS;
static struct console_device *device;
static bool full;    /* the driver waits until half of the input's room is free */
static bool writing; /* a writer's text is not all in the ring yet */
static struct wait_queue turns = WAIT_QUEUE_INITIALIZER(turns); /* other writers meanwhile */
static struct wait_queue readers = WAIT_QUEUE_INITIALIZER(readers);
static struct wait_queue writers = WAIT_QUEUE_INITIALIZER(writers);
static struct spinlock console_lock = SPINLOCK_INITIALIZER("console");
static bool add_return = true;
static bool interrupt_on;
static volatile bool interrupted;
static struct thread *interrupt_target;
/* Each write, until the ring has all of it, and each read that got something. From when devices
 * are first asked for; console_lock. */
static struct devstat stats;
static kstat_io_t io;
static bool stats_on;
/* Bytes typed ahead that a ^C has thrown away. */
static struct evcnt dropped = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "console", "input dropped");
EVCNT_ATTACH_STATIC(dropped);

void console_attach(struct console_device *new_device)
{
    device = new_device;
}

void console_newline_mode(bool add)
{
    add_return = add;
}

const struct devstat *console_stats(void)
{
    return stats_on ? &stats : NULL;
}

uint64_t console_io(kstat_io_t *copy)
{
    uintptr_t state = spinlock_acquire(&console_lock);
    uint64_t now = clock_now();

    kstat_queue_copy(copy, &io, (hrtime_t)now);
    spinlock_release(&console_lock, state);
    return now;
}

static void list_console(void)
{
    uintptr_t state;

    devstat_add_entry(&stats, "console", 0, 0, DEVSTAT_NO_BLOCKSIZE | DEVSTAT_NO_ORDERED_TAGS,
                      DEVSTAT_TYPE_COMM | DEVSTAT_TYPE_IF_OTHER, DEVSTAT_PRIORITY_OTHER);
    state = spinlock_acquire(&console_lock);
    stats_on = true;
    spinlock_release(&console_lock, state);
}

LATE(1, list_console);

static uint32_t ring_used(const struct ring *r)
{
    return r->head - r->tail;
}

static void output_put(char byte)
{
    output_bytes[output.head++ % OUTPUT_SIZE] = byte;
}

static char output_take(void)
{
    return output_bytes[output.tail++ % OUTPUT_SIZE];
}

/* Something was taken out of the input. */
static void input_taken(void)
{
    if (full && ring_used(&input) <= INPUT_SIZE / 2) {
        full = false;
        device->resume(device);
    }
}

static bool must_poll(void)
{
    return !interrupts_enabled() || cpu_here.depth != 0 || cpu_here.current == cpu_here.idle;
}

static void put_polled(char byte)
{
    if (byte == '\n' && add_return)
        device->put_polled(device, '\r');
    device->put_polled(device, byte);
}

uintptr_t console_acquire(void)
{
    return spinlock_acquire(&console_lock);
}

void console_release(uintptr_t state)
{
    spinlock_release(&console_lock, state);
}

static void write_polled(const char *text, size_t length)
{
    while (ring_used(&output))
        device->put_polled(device, output_take());
    for (size_t i = 0; i < length; i++)
        put_polled(text[i]);
}

void console_write_polled(const char *text, size_t length)
{
    uintptr_t state;

    if (!device)
        return;
    if (panic_in_progress()) { /* who holds the lock may have been stopped */
        state = interrupts_save();
        write_polled(text, length);
        interrupts_restore(state);
        return;
    }
    state = spinlock_acquire(&console_lock);
    write_polled(text, length);
    spinlock_release(&console_lock, state);
}

/* Console lock held. */
static void count_write(size_t length, uint64_t begin)
{
    uint64_t now = clock_now();

    devstat_end_transaction_held(&stats, (uint32_t)length, DEVSTAT_TAG_NONE, DEVSTAT_WRITE, now,
                                 begin);
    kstat_runq_exit_at(&io, (hrtime_t)now);
    io.writes++;
    io.nwritten += length;
}

void console_write(const char *text, size_t length)
{
    uint64_t begin = 0;
    bool counted = false;
    uintptr_t state;

    if (!device)
        return;
    if (must_poll()) {
        console_write_polled(text, length);
        return;
    }
    state = spinlock_acquire(&console_lock);
    if (__builtin_expect(stats_on, 0)) {
        counted = true;
        begin = clock_now();
        devstat_start_transaction_held(&stats, begin);
        kstat_runq_enter_at(&io, (hrtime_t)begin);
    }
    while (writing)
        wait_sleep(&turns, &console_lock, &state, WAIT_FOREVER, false);
    writing = true;
    for (size_t i = 0; i < length; i++) {
        while (ring_used(&output) > OUTPUT_SIZE - 2) {
            device->start(device);
            wait_sleep(&writers, &console_lock, &state, WAIT_FOREVER, false);
        }
        if (text[i] == '\n' && add_return)
            output_put('\r');
        output_put(text[i]);
    }
    writing = false;
    if (counted)
        count_write(length, begin);
    if (!TAILQ_EMPTY(&turns.threads))
        wait_wake_one(&turns);
    device->start(device);
    spinlock_release(&console_lock, state);
}

void console_drain(void)
{
    uintptr_t state;

    if (!device)
        return;
    if (must_poll() || panic_in_progress()) {
        console_write_polled(NULL, 0);
    } else {
        state = spinlock_acquire(&console_lock);
        while (ring_used(&output)) {
            device->start(device);
            wait_sleep(&writers, &console_lock, &state, WAIT_FOREVER, false);
        }
        spinlock_release(&console_lock, state);
    }
    device->flush(device);
}

size_t console_output(char *buffer, size_t size)
{
    size_t count = 0;

    while (count < size && ring_used(&output))
        buffer[count++] = output_take();
    if (!TAILQ_EMPTY(&writers.threads) && ring_used(&output) < OUTPUT_SIZE / 2)
        wait_wake_all(&writers);
    return count;
}

size_t console_read(char *buffer, size_t size)
{
    return console_read_until(buffer, size, WAIT_FOREVER);
}

size_t console_read_until(char *buffer, size_t size, uint64_t deadline)
{
    uintptr_t state = spinlock_acquire(&console_lock);
    size_t count = 0;

    while (!ring_used(&input)) {
        if (wait_sleep(&readers, &console_lock, &state, deadline, deadline != WAIT_FOREVER) != 0)
            break;
    }
    while (count < size && ring_used(&input))
        buffer[count++] = input_bytes[input.tail++ % INPUT_SIZE];
    input_taken();
    if (stats_on && count > 0) {
        uint64_t now = clock_now();

        devstat_start_transaction_held(&stats, now);
        devstat_end_transaction_held(&stats, (uint32_t)count, DEVSTAT_TAG_NONE, DEVSTAT_READ, now,
                                     now);
        io.reads++;
        io.nread += count;
    }
    spinlock_release(&console_lock, state);
    return count;
}

/* The input up to END is thrown away, and the command that runs is to end. */
static void interrupt_command(uint32_t end)
{
    for (; input.tail != end; input.tail++)
        evcnt_incr(&dropped);
    interrupted = true;
    if (interrupt_target)
        thread_interrupt(interrupt_target);
}

bool console_input_room(void)
{
    full = ring_used(&input) == INPUT_SIZE;
    return !full;
}

void console_input(char byte)
{
    if (byte == INTERRUPT && interrupt_on)
        interrupt_command(input.head);
    else
        input_bytes[input.head++ % INPUT_SIZE] = byte;
}

void console_input_ready(void)
{
    if (ring_used(&input))
        wait_wake_all(&readers);
}

/* A ^C that came after the command's line and before it could begin, on no later line. */
static void find_interrupt(void)
{
    for (uint32_t at = input.tail; at != input.head; at++) {
        char byte = input_bytes[at % INPUT_SIZE];

        if (byte == '\r' || byte == '\n')
            return;
        if (byte == INTERRUPT) {
            interrupt_command(at);
            input.tail++; /* it is no input itself */
            input_taken();
            return;
        }
    }
}

void console_interrupt_enable(bool on)
{
    uintptr_t state = spinlock_acquire(&console_lock);

    interrupt_target = thread_current();
    interrupt_on = on;
    if (on)
        find_interrupt();
    spinlock_release(&console_lock, state);
}

bool console_interrupted(void)
{
    const struct thread *self = thread_current();

    return self->interrupted || (interrupted && self == interrupt_target);
}

void console_interrupt_thread(struct thread *thread)
{
    uintptr_t state = spinlock_acquire(&console_lock);

    thread->interrupted = true;
    spinlock_release(&console_lock, state);
    thread_interrupt(thread);
}

bool console_interrupt_aside(void)
{
    struct thread *self = thread_current();
    uintptr_t state =
        spinlock_acquire(&console_lock); /* or one that comes now would be forgotten */
    bool was = console_interrupted();

    self->interrupted = false;
    if (self == interrupt_target)
        interrupted = false;
    spinlock_release(&console_lock, state);
    return was;
}

void console_interrupt_again(void)
{
    struct thread *self = thread_current();

    if (self == interrupt_target)
        interrupted = true;
    else
        self->interrupted = true;
}

void console_interrupt_clear(void)
{
    interrupted = false;
}
