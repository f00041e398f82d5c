/* SPDX-License-Identifier: BSD-2-Clause */
/* poll, select and their kin. */
#include "fs/file/poll.h"
#include "fs/file/file.h"
#include "kernel/memory/kmem.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

#define NS         1000000000ull
#define SELECT_MAX 65536u
#define SELECT_IN  (POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR)
#define SELECT_OUT (POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR)

static void poll_release(struct poll_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (requests[i].file)
            file_release(requests[i].file);
    kmem_free(requests);
}

static long poll_run(struct abi_pollfd *user, uint64_t count, uint64_t deadline)
{
    struct poll_request *requests;
    struct abi_pollfd *entries;
    long result;

    if (count > task_current()->program->limits[RLIMIT_NOFILE].now || count > SELECT_MAX)
        return -EINVAL;
    entries = kmem_alloc(count * sizeof *entries + 1);
    requests = kmem_zalloc(count * sizeof *requests + 1);
    result = entries && requests ? copyin(user, entries, count * sizeof *entries) : -ENOMEM;
    if (result == 0) {
        for (uint64_t i = 0; i < count; i++) {
            requests[i].events = (uint16_t)entries[i].events;
            if (entries[i].fd >= 0) {
                requests[i].file = call_file(entries[i].fd);
                requests[i].bad = !requests[i].file;
            }
        }
        result = poll_files(requests, count, deadline);
        for (uint64_t i = 0; i < count; i++)
            entries[i].revents = (int16_t)requests[i].ready;
        if (result >= 0 && copyout(entries, user, count * sizeof *entries) != 0)
            result = -EFAULT;
    }
    if (requests)
        poll_release(requests, count);
    kmem_free(entries);
    return result;
}

uint64_t poll_deadline(uint64_t ns)
{
    return ns == 0 ? 0 : clock_after(clock_now(), ns);
}

CALL(poll)
{
    int32_t ms = ARG_INT(2);
    uint64_t deadline = ms < 0 ? WAIT_FOREVER : poll_deadline((uint64_t)ms * 1000000u);
    long result = poll_run(ARG_PTR(0), ARG_U32(1), deadline);

    return result == -EINTR ? -RESTART_UNHANDLED : result;
}

int poll_mask_begin(const void *user, uint64_t size, bool *masked)
{
    struct signal_set set;

    *masked = user != NULL;
    if (!user)
        return 0;
    if (size != sizeof set)
        return -EINVAL;
    if (copyin(user, &set, sizeof set) != 0)
        return -EFAULT;
    signal_mask_for_call(task_current(), &set);
    return 0;
}

static long poll_mask_end(bool masked, long result)
{
    if (masked)
        return signal_mask_after_call(task_current(), result);
    return result == -EINTR ? -RESTART_UNHANDLED : result;
}

/* What is left until DEADLINE goes out, as Linux does it. */
static void poll_rest_out(void *user, uint64_t deadline, bool in_us)
{
    uint64_t now = clock_now(), left = deadline > now ? deadline - now : 0;

    if (!user || deadline == WAIT_FOREVER)
        return;
    if (in_us)
        (void)call_timeval_out(user, left);
    else
        (void)call_timespec_out(user, left);
}

CALL(ppoll)
{
    uint64_t deadline = WAIT_FOREVER, ns;
    bool masked;
    long result = ARG(2) != 0 ? call_timespec_in(ARG_PTR(2), &ns) : 0;

    if (result == 0 && ARG(2) != 0)
        deadline = poll_deadline(ns);
    if (result == 0)
        result = poll_mask_begin(ARG_PTR(3), ARG(4), &masked);
    if (result != 0)
        return result;
    result = poll_run(ARG_PTR(0), ARG_U32(1), deadline);
    poll_rest_out(ARG_PTR(2), deadline, false);
    return poll_mask_end(masked, result);
}

/* The three sets of select: 64 descriptors a word. */
struct select_sets {
    uint64_t *bits[3];
    size_t words;
    uint32_t count; /* descriptors */
};

static const uint32_t select_events[3] = {SELECT_IN, SELECT_OUT, POLLPRI};

static bool poll_calls_select_wants(const struct select_sets *sets, unsigned which, uint32_t n)
{
    return sets->bits[which] && sets->bits[which][n / 64] >> n % 64 & 1;
}

static int poll_calls_select_in(struct select_sets *sets, const uint64_t user[3])
{
    for (unsigned i = 0; i < 3; i++) {
        if (!user[i])
            continue;
        sets->bits[i] = kmem_alloc(sets->words * 8 + 1);
        if (!sets->bits[i])
            return -ENOMEM;
        if (copyin((const void *)user[i], sets->bits[i], sets->words * 8) != 0)
            return -EFAULT;
    }
    return 0;
}

static int poll_calls_select_out(const struct select_sets *sets, const uint64_t user[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (user[i] && copyout(sets->bits[i], (void *)user[i], sets->words * 8) != 0)
            return -EFAULT;
    return 0;
}

/* A request for each descriptor that is in a set, in order. */
static long poll_calls_select_requests(const struct select_sets *sets,
                                       struct poll_request *requests, uint32_t *numbers)
{
    long used = 0;

    for (uint32_t n = 0; n < sets->count; n++) {
        uint32_t events = 0;

        for (unsigned i = 0; i < 3; i++)
            events |= poll_calls_select_wants(sets, i, n) ? select_events[i] : 0;
        if (events == 0)
            continue;
        requests[used].events = events;
        requests[used].file = call_file((int)n);
        numbers[used++] = n;
        if (!requests[used - 1].file)
            return -EBADF;
    }
    return used;
}

/* How many bits are set in the answer. */
static long poll_calls_select_answer(struct select_sets *sets, const struct poll_request *requests,
                                     const uint32_t *numbers, long used)
{
    long count = 0;

    for (unsigned i = 0; i < 3; i++) {
        uint64_t *bits = sets->bits[i];

        for (long r = 0; bits && r < used; r++) {
            uint32_t n = numbers[r];

            if (bits[n / 64] >> n % 64 & 1) {
                if (requests[r].ready & select_events[i])
                    count++;
                else
                    bits[n / 64] &= ~(1ull << n % 64);
            }
        }
    }
    return count;
}

static long poll_calls_select_wait(struct select_sets *sets, uint64_t deadline)
{
    struct poll_request *requests = kmem_zalloc(sets->count * sizeof *requests + 1);
    uint32_t *numbers = kmem_alloc(sets->count * sizeof *numbers + 1);
    long used = requests && numbers ? poll_calls_select_requests(sets, requests, numbers) : -ENOMEM;
    long result = used < 0 ? used : poll_files(requests, (size_t)used, deadline);

    if (result >= 0)
        result = poll_calls_select_answer(sets, requests, numbers, used);
    if (requests)
        poll_release(requests, sets->count);
    kmem_free(numbers);
    return result;
}

static long poll_calls_select_run(int32_t count, const uint64_t user[3], uint64_t deadline)
{
    struct select_sets sets = {.count = (uint32_t)count};
    long result;

    if (count < 0)
        return -EINVAL;
    if (sets.count > SELECT_MAX)
        sets.count = SELECT_MAX;
    sets.words = (sets.count + 63) / 64;
    result = poll_calls_select_in(&sets, user);
    if (result == 0)
        result = poll_calls_select_wait(&sets, deadline);
    if (result >= 0 && poll_calls_select_out(&sets, user) != 0)
        result = -EFAULT;
    for (unsigned i = 0; i < 3; i++)
        kmem_free(sets.bits[i]);
    return result;
}

static long poll_calls_select_call(struct trap_frame *frame)
{
    const uint64_t user[3] = {ARG(1), ARG(2), ARG(3)};
    uint64_t deadline = WAIT_FOREVER;
    struct abi_timeval time;
    long result;

    if (ARG(4) != 0) {
        if (copyin(ARG_PTR(4), &time, sizeof time) != 0)
            return -EFAULT;
        if (time.sec < 0 || time.usec < 0)
            return -EINVAL;
        deadline = poll_deadline((uint64_t)time.sec * NS + (uint64_t)time.usec * 1000);
    }
    result = poll_calls_select_run(ARG_INT(0), user, deadline);
    poll_rest_out(ARG_PTR(4), deadline, true);
    return result == -EINTR ? -RESTART_UNHANDLED : result;
}

ABI_ONLY_X86(CALL(select) { return poll_calls_select_call(frame); })
ABI_ONLY_MIPS(CALL(_newselect) { return poll_calls_select_call(frame); })

CALL(pselect6)
{
    const uint64_t user[3] = {ARG(1), ARG(2), ARG(3)};
    uint64_t deadline = WAIT_FOREVER, ns, mask[2] = {0, 0};
    bool masked;
    long result = ARG(4) != 0 ? call_timespec_in(ARG_PTR(4), &ns) : 0;

    if (result == 0 && ARG(4) != 0)
        deadline = poll_deadline(ns);
    if (result == 0 && ARG(5) != 0 && copyin(ARG_PTR(5), mask, sizeof mask) != 0)
        result = -EFAULT;
    if (result == 0)
        result = poll_mask_begin((const void *)mask[0], mask[1], &masked);
    if (result != 0)
        return result;
    result = poll_calls_select_run(ARG_INT(0), user, deadline);
    poll_rest_out(ARG_PTR(4), deadline, false);
    return poll_mask_end(masked, result);
}
