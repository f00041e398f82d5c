/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of perf_event_open(2). A counter with a period reports each one that has passed, on the
 * CPU that runs the task, interrupts off and perhaps in the midst of a switch: here a record is
 * made of it. Whoever waits for records is woken, or sent a signal, by a soft interrupt.
 */
#include "fs/file/file.h"
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/softint.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/thread_time.h"
#include "kernel/time/clock.h"
#include "linux/file/file_owner.h"
#include "linux/perf/perf_private.h"
#include "lib/section.h"

#define WORDS_MOST 16u /* of a record */

struct spinlock perf_sampling_lock = SPINLOCK_INITIALIZER("performance samples");

static TAILQ_HEAD(, perf_event) perf_pending = TAILQ_HEAD_INITIALIZER(perf_pending);
static SHARED_BSS struct softint perf_softint;

struct record {
    struct abi_perf_header header;
    uint64_t word[WORDS_MOST];
    unsigned words;
};

static void perf_sample_record_add(struct record *record, bool wanted, uint64_t word)
{
    if (wanted)
        record->word[record->words++] = word;
}

static uint64_t perf_sample_record_pair(uint32_t first, uint32_t second)
{
    union {
        uint32_t half[2];
        uint64_t word;
    } pair = {.half = {first, second}};

    return pair.word;
}

static unsigned perf_sample_record_end(struct record *record, uint32_t type, unsigned misc)
{
    unsigned size = (unsigned)(sizeof record->header + record->words * sizeof record->word[0]);

    record->header = (struct abi_perf_header){type, (uint16_t)misc, (uint16_t)size};
    return size;
}

static uint64_t perf_task_pair(const struct perf_event *event)
{
    return perf_sample_record_pair(event->task->program->id, event->task->id);
}

/* What the event had counted when the period ended: times are those of now. */
static void perf_sample_record_add_read(struct record *record, const struct perf_event *event)
{
    uint64_t now = cpu_time_of_thread(event->task->thread), format = event->read_format;
    uint64_t enabled = event->own.enabled + (event->enabled ? now - event->enabled_since : 0);
    uint64_t running = event->own.running + (event->active ? now - event->active_since : 0);

    perf_sample_record_add(record, true, event->own.value + event->passed - event->base);
    perf_sample_record_add(record, format & PERF_FORMAT_ENABLED, clock_cycles_to_ns(enabled));
    perf_sample_record_add(record, format & PERF_FORMAT_RUNNING, clock_cycles_to_ns(running));
    perf_sample_record_add(record, format & PERF_FORMAT_ID, event->id);
    perf_sample_record_add(record, format & PERF_FORMAT_LOST, event->lost);
}

static bool perf_put_sample(struct perf_event *event, const struct pmc_sample *sample)
{
    uint64_t type = event->sample_type;
    struct record record = {.words = 0};
    unsigned misc = sample->user ? PERF_MISC_USER : PERF_MISC_KERNEL;

    perf_sample_record_add(&record, type & PERF_SAMPLE_IDENTIFIER, event->id);
    perf_sample_record_add(&record, type & PERF_SAMPLE_IP, sample->pc);
    perf_sample_record_add(&record, type & PERF_SAMPLE_TID, perf_task_pair(event));
    perf_sample_record_add(&record, type & PERF_SAMPLE_TIME, clock_now());
    perf_sample_record_add(&record, type & PERF_SAMPLE_ADDR, 0);
    perf_sample_record_add(&record, type & PERF_SAMPLE_ID, event->id);
    perf_sample_record_add(&record, type & PERF_SAMPLE_STREAM_ID, event->id);
    perf_sample_record_add(&record, type & PERF_SAMPLE_CPU,
                           perf_sample_record_pair(sample->cpu, 0));
    perf_sample_record_add(&record, type & PERF_SAMPLE_PERIOD, event->period);
    if (type & PERF_SAMPLE_READ)
        perf_sample_record_add_read(&record, event);
    return perf_ring_put(event->ring, &record,
                         perf_sample_record_end(&record, PERF_RECORD_SAMPLE,
                                                misc | (sample->exact ? PERF_MISC_EXACT : 0)));
}

/* Before the first record that finds room again. */
static bool perf_put_lost(struct perf_event *event)
{
    uint64_t type = event->flags & PERF_SAMPLE_ID_ALL ? event->sample_type : 0;
    struct record record = {.words = 0};

    if (event->untold == 0)
        return true;
    perf_sample_record_add(&record, true, event->id);
    perf_sample_record_add(&record, true, event->untold);
    perf_sample_record_add(&record, type & PERF_SAMPLE_TID, perf_task_pair(event));
    perf_sample_record_add(&record, type & PERF_SAMPLE_TIME, clock_now());
    perf_sample_record_add(&record, type & PERF_SAMPLE_ID, event->id);
    perf_sample_record_add(&record, type & PERF_SAMPLE_STREAM_ID, event->id);
    perf_sample_record_add(&record, type & PERF_SAMPLE_CPU,
                           perf_sample_record_pair(cpu_current()->id, 0));
    perf_sample_record_add(&record, type & PERF_SAMPLE_IDENTIFIER, event->id);
    if (!perf_ring_put(event->ring, &record, perf_sample_record_end(&record, PERF_RECORD_LOST, 0)))
        return false;
    event->untold = 0;
    return true;
}

/* Whether somebody is to be woken. */
static bool perf_put(struct perf_event *event, const struct pmc_sample *sample)
{
    bool due;

    if (!event->ring || perf_ring_pages(event->ring) == 0)
        return false;
    if (!sample->known || !perf_put_lost(event) || !perf_put_sample(event, sample)) {
        event->lost += sample->count;
        event->untold += sample->count;
        return false;
    }
    due = perf_ring_is_due(event->ring);
    if (event->wakeup != 0 && !(event->flags & PERF_WATERMARK) &&
        ++event->since_wakeup >= event->wakeup) {
        event->since_wakeup = 0;
        due = true;
    }
    return due;
}

static void perf_notify(struct perf_event *event, bool due, bool last)
{
    event->ready = event->ready || due;
    if (file_flags(event->file) & O_ASYNC)
        event->owed++;
    event->hung_up = event->hung_up || last;
    if (event->pending || !(due || last || event->owed > 0))
        return;
    event->pending = true;
    TAILQ_INSERT_TAIL(&perf_pending, event, in_pending);
    softint_schedule(&perf_softint);
}

static void perf_passed(struct perf_event *event, const struct pmc_sample *sample)
{
    bool due, last = false;

    if (event->halted || event->taken || event->period == 0) /* an heir has no samples */
        return;
    event->passed += sample->count * event->period;
    if (event->limit > 0) {
        event->limit -= sample->count < event->limit ? sample->count : event->limit;
        last = event->limit == 0;
    }
    due = perf_put(event, sample);
    if (last) {
        event->halted_at = cpu_time_of_thread(event->task->thread);
        event->halted = true;
    }
    perf_notify(event, due, last);
}

static struct task *perf_task_of(const struct thread *thread)
{
    return (struct task *)(uintptr_t)thread->owner;
}

void perf_sampled(const struct pmc_sample *sample)
{
    struct task *task = perf_task_of(thread_of_lwp(sample->l));
    struct perf_event *event;
    uintptr_t state;

    if (!task) /* a child with its parent's counters, that has not begun */
        return;
    state = spinlock_acquire(&perf_sampling_lock);
    TAILQ_FOREACH (event, &task->perf_sampling, in_sampling)
        if (event->counter == sample->ctr) {
            perf_passed(event, sample);
            break;
        }
    spinlock_release(&perf_sampling_lock, state);
}

void perf_taken(struct lwp *l, uint32_t mask)
{
    struct thread *thread = thread_of_lwp(l);
    struct task *task = perf_task_of(thread);
    uint64_t value[PMC_COUNTERS_MAX] = {0};
    struct perf_event *event;
    uintptr_t state;

    if (!task)
        return;
    for (int counter = 0; counter < PMC_COUNTERS_MAX; counter++)
        if (mask >> counter & 1)
            (void)pmc_get_counter_value(l, counter, 0, &value[counter]);
    state = spinlock_acquire(&perf_sampling_lock);
    TAILQ_FOREACH (event, &task->perf_sampling, in_sampling)
        if (event->counter >= 0 && (mask >> event->counter & 1) && !event->halted) {
            event->passed = value[event->counter];
            event->halted_at = cpu_time_of_thread(thread);
            event->taken = true;
        }
    spinlock_release(&perf_sampling_lock, state);
}

/* With the lock, which it gives up meanwhile. */
static void perf_tell(struct perf_event *event, uintptr_t *state)
{
    unsigned owed = event->owed;
    bool last = event->hung_up;

    event->owed = 0;
    event->hung_up = false;
    event->busy = true;
    spinlock_release(&perf_sampling_lock, *state);
    poll_source_wake(&event->source, POLLIN | POLLRDNORM | POLLHUP);
    while (owed-- > 0)
        file_owner_tell(event->file, last && owed == 0);
    *state = spinlock_acquire(&perf_sampling_lock);
    event->busy = false;
}

static void perf_tell_all(void *unused)
{
    uintptr_t state = spinlock_acquire(&perf_sampling_lock);
    struct perf_event *event;

    (void)unused;
    while ((event = TAILQ_FIRST(&perf_pending)) != NULL) {
        TAILQ_REMOVE(&perf_pending, event, in_pending);
        event->pending = false;
        perf_tell(event, &state);
    }
    spinlock_release(&perf_sampling_lock, state);
}

void perf_sampling_first(void)
{
    softint_establish(&perf_softint, IPL_SOFTCLOCK, perf_tell_all, NULL, "perf_event_open");
}

void perf_sampling_begin(struct perf_event *event)
{
    uintptr_t state;

    if (event->kind != PERF_COUNTER || !event->task)
        return;
    state = spinlock_acquire(&perf_sampling_lock);
    TAILQ_INSERT_TAIL(&event->task->perf_sampling, event, in_sampling);
    event->sampling = true;
    spinlock_release(&perf_sampling_lock, state);
}

void perf_sampling_end(struct perf_event *event)
{
    uintptr_t state = spinlock_acquire(&perf_sampling_lock);

    if (event->sampling)
        TAILQ_REMOVE(&event->task->perf_sampling, event, in_sampling);
    event->sampling = false;
    spinlock_release(&perf_sampling_lock, state);
    if (event->file)
        poll_source_wake(&event->source, POLLIN | POLLRDNORM | POLLHUP);
}

void perf_sampling_close(struct perf_event *event)
{
    uintptr_t state = spinlock_acquire(&perf_sampling_lock);

    if (event->pending)
        TAILQ_REMOVE(&perf_pending, event, in_pending);
    event->pending = false;
    while (event->busy) {
        spinlock_release(&perf_sampling_lock, state);
        thread_yield();
        state = spinlock_acquire(&perf_sampling_lock);
    }
    spinlock_release(&perf_sampling_lock, state);
}

void perf_set_ring(struct perf_event *event, struct perf_ring *ring)
{
    uintptr_t state = spinlock_acquire(&perf_sampling_lock);
    struct perf_ring *before = event->ring;

    event->ring = ring;
    spinlock_release(&perf_sampling_lock, state);
    perf_ring_release(before);
}
