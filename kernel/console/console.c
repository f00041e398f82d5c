/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's two rings, and one writer at a time. */
#include "kernel/console/console.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/base/panic.h"
#include "kernel/console/panic_report.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "lib/section.h"

#define OUTPUT_SIZE 4096u  /* powers of two */
#define INPUT_SIZE  16384u /* what is typed ahead, and a burst before a thread gets to run */

struct ring {
    uint32_t head, tail; /* bytes ever put in, ever taken out */
};

/* All of this is under console_lock. */
static char output_bytes[OUTPUT_SIZE] SHARED_BSS, input_bytes[INPUT_SIZE] SHARED_BSS;
static struct ring output SHARED_BSS, input SHARED_BSS;
static struct console_device *device;
static bool full;    /* the driver waits until half of the input's room is free */
static bool nudged;  /* the reader who wants to know is to do something else */
static bool writing; /* a writer's text is not all in the ring yet */
static struct wait_queue other_writers =
    WAIT_QUEUE_INITIALIZER(other_writers); /* other writers meanwhile */
static struct wait_queue readers = WAIT_QUEUE_INITIALIZER(readers);
static struct wait_queue writers = WAIT_QUEUE_INITIALIZER(writers);
static struct spinlock console_lock = SPINLOCK_INITIALIZER("console");
static bool add_return = true;
static struct console_owner *owner;
static void (*input_listener)(void);
static const struct console_meter *meter; /* NULL: nobody asks */
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

void console_set_meter(const struct console_meter *new_meter)
{
    uintptr_t state = spinlock_acquire(&console_lock);

    meter = new_meter;
    spinlock_release(&console_lock, state);
}

static uint32_t console_ring_used(const struct ring *r)
{
    return r->head - r->tail;
}

static void console_output_put(char byte)
{
    output_bytes[output.head++ % OUTPUT_SIZE] = byte;
}

static char console_output_take(void)
{
    return output_bytes[output.tail++ % OUTPUT_SIZE];
}

/* Something was taken out of the input. */
static void console_input_taken(void)
{
    if (full && console_ring_used(&input) <= INPUT_SIZE / 2) {
        full = false;
        device->resume(device);
    }
}

static bool console_must_poll(void)
{
    return !interrupts_enabled() || cpu_here.in_handler || cpu_here.current == cpu_here.idle;
}

static void console_put_polled(char byte)
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

static void console_put_all_polled(const char *text, size_t length)
{
    while (console_ring_used(&output))
        device->put_polled(device, console_output_take());
    for (size_t i = 0; i < length; i++)
        console_put_polled(text[i]);
}

void console_write_polled(const char *text, size_t length)
{
    uintptr_t state;

    if (!device)
        return;
    if (panic_in_progress()) { /* who holds the lock may have been stopped */
        state = interrupts_save();
        console_put_all_polled(text, length);
        interrupts_restore(state);
        return;
    }
    state = spinlock_acquire(&console_lock);
    console_put_all_polled(text, length);
    spinlock_release(&console_lock, state);
}

void console_write(const char *text, size_t length)
{
    const struct console_meter *told; /* of the beginning, so of the end too */
    uint64_t begin = 0;
    uintptr_t state;

    if (!device)
        return;
    if (console_must_poll()) {
        console_write_polled(text, length);
        return;
    }
    state = spinlock_acquire(&console_lock);
    told = meter;
    if (told) {
        begin = clock_now();
        told->write_begins(begin);
    }
    while (writing)
        wait_sleep(&other_writers, &console_lock, &state, WAIT_FOREVER);
    writing = true;
    for (size_t i = 0; i < length; i++) {
        while (console_ring_used(&output) > OUTPUT_SIZE - 2) {
            device->start(device);
            wait_sleep(&writers, &console_lock, &state, WAIT_FOREVER);
        }
        if (text[i] == '\n' && add_return)
            console_output_put('\r');
        console_output_put(text[i]);
    }
    writing = false;
    if (told)
        told->write_ends(length, begin, clock_now());
    if (!TAILQ_EMPTY(&other_writers.threads))
        wait_wake_one(&other_writers);
    device->start(device);
    spinlock_release(&console_lock, state);
}

void console_drain(void)
{
    uintptr_t state;

    if (!device)
        return;
    if (console_must_poll() || panic_in_progress()) {
        console_write_polled(NULL, 0);
    } else {
        state = spinlock_acquire(&console_lock);
        while (console_ring_used(&output)) {
            device->start(device);
            wait_sleep(&writers, &console_lock, &state, WAIT_FOREVER);
        }
        spinlock_release(&console_lock, state);
    }
    device->flush(device);
}

size_t console_output(char *buffer, size_t size)
{
    size_t count = 0;

    while (count < size && console_ring_used(&output))
        buffer[count++] = console_output_take();
    if (!TAILQ_EMPTY(&writers.threads) && console_ring_used(&output) < OUTPUT_SIZE / 2)
        wait_wake_all(&writers);
    return count;
}

/* With the lock. */
static size_t console_read_input(char *buffer, size_t size)
{
    size_t count = 0;

    while (count < size && console_ring_used(&input))
        buffer[count++] = input_bytes[input.tail++ % INPUT_SIZE];
    console_input_taken();
    if (meter && count > 0)
        meter->has_read(count, clock_now());
    return count;
}

size_t console_read(char *buffer, size_t size)
{
    return console_read_until(buffer, size, WAIT_FOREVER);
}

size_t console_read_until(char *buffer, size_t size, uint64_t deadline)
{
    uintptr_t state = spinlock_acquire(&console_lock);
    size_t count;

    while (!console_ring_used(&input)) {
        int ended = deadline == WAIT_FOREVER
                        ? wait_sleep(&readers, &console_lock, &state, deadline)
                        : wait_interruptible(&readers, &console_lock, &state, deadline);

        if (ended != 0)
            break;
    }
    count = console_read_input(buffer, size);
    spinlock_release(&console_lock, state);
    return count;
}

size_t console_read_or_nudge(char *buffer, size_t size)
{
    uintptr_t state = spinlock_acquire(&console_lock);
    size_t count = 0;

    while (!console_ring_used(&input) && !nudged)
        wait_sleep(&readers, &console_lock, &state, WAIT_FOREVER);
    if (!nudged)
        count = console_read_input(buffer, size);
    nudged = false;
    spinlock_release(&console_lock, state);
    return count;
}

void console_nudge(void)
{
    uintptr_t state = spinlock_acquire(&console_lock);

    nudged = true;
    wait_wake_all(&readers);
    spinlock_release(&console_lock, state);
}

/* Shows ANSWER what has come from *AT on. What a ^C has thrown away meanwhile is skipped. */
static bool console_find_answer(struct console_answer *answer, uint32_t *at)
{
    while (*at != input.head) {
        if ((int32_t)(*at - (uint32_t)answer->length - input.tail) < 0) {
            *at = input.tail;
            answer->length = 0;
        }
        if (*at != input.head && answer->byte(answer, input_bytes[(*at)++ % INPUT_SIZE]))
            return true;
    }
    return false;
}

/* What came before those LENGTH bytes up to END moves over them. */
static void console_cut(uint32_t end, uint32_t length)
{
    for (uint32_t from = end - length; from != input.tail; from--)
        input_bytes[(from - 1 + length) % INPUT_SIZE] = input_bytes[(from - 1) % INPUT_SIZE];
    input.tail += length;
    console_input_taken();
}

void console_ask(const char *question, size_t length, struct console_answer *answer,
                 uint64_t deadline)
{
    uintptr_t state = spinlock_acquire(&console_lock);
    uint32_t at = input.head;

    spinlock_release(&console_lock, state);
    console_write(question, length);
    state = spinlock_acquire(&console_lock);
    while (!(answer->whole = console_find_answer(answer, &at)))
        if (wait_interruptible(&readers, &console_lock, &state, deadline) != 0)
            break;
    if (answer->whole) {
        console_cut(at, (uint32_t)answer->length);
        if (meter)
            meter->has_read(answer->length, clock_now());
    }
    spinlock_release(&console_lock, state);
}

/* Whether BYTE is the owner's: then the input up to END is thrown away. */
static bool console_owner_takes(char byte, uint32_t end)
{
    if (!owner || !owner->takes(owner, byte))
        return false;
    for (; input.tail != end; input.tail++)
        evcnt_incr(&dropped);
    return true;
}

bool console_input_room(void)
{
    full = console_ring_used(&input) == INPUT_SIZE;
    return !full;
}

void console_input(char byte)
{
    if (!console_owner_takes(byte, input.head))
        input_bytes[input.head++ % INPUT_SIZE] = byte;
}

void console_input_ready(void)
{
    if (!console_ring_used(&input))
        return;
    wait_wake_all(&readers);
    if (input_listener)
        input_listener();
}

size_t console_input_waiting(void)
{
    uintptr_t state = spinlock_acquire(&console_lock);
    size_t waiting = console_ring_used(&input);

    spinlock_release(&console_lock, state);
    return waiting;
}

void console_set_listener(void (*listener)(void))
{
    uintptr_t state = spinlock_acquire(&console_lock);

    input_listener = listener;
    spinlock_release(&console_lock, state);
}

/* What is the owner's and came after the line which the new owner is to run, on no later line. */
static void console_find_interrupt(void)
{
    for (uint32_t at = input.tail; at != input.head; at++) {
        char byte = input_bytes[at % INPUT_SIZE];

        if (byte == '\r' || byte == '\n')
            return;
        if (console_owner_takes(byte, at)) {
            input.tail++; /* it is no input itself */
            console_input_taken();
            return;
        }
    }
}

struct console_owner *console_set_owner(struct console_owner *new_owner)
{
    uintptr_t state = spinlock_acquire(&console_lock);
    struct console_owner *before = owner;

    owner = new_owner;
    if (owner)
        console_find_interrupt();
    spinlock_release(&console_lock, state);
    return before;
}
