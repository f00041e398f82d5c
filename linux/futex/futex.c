/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex(2): threads that wait at a word of memory. A private word is known by its address space and
 * address, a shared one by the physical page. All waiters are in hashed lists under one lock, which
 * is held while the word is looked at, so that no wake-up falls between the look and the sleep.
 */
#include <arch/aspace.h>
#include <arch/interrupt_flag.h>
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/vm/vm.h"
#include "lib/section.h"
#include "linux/futex/futex.h"
#include "linux/futex/futex_private.h"
#include "linux/program/program_private.h"

#define BUCKETS 1024u
#define TRIES   16u

struct spinlock futex_lock = SPINLOCK_INITIALIZER("futexes");
static SHARED_BSS struct futex_list futex_lists[BUCKETS]; /* tqh_last NULL: not used yet */

struct futex_list *futex_list(struct futex_key key)
{
    struct futex_list *list =
        &futex_lists[hash_end(hash_number(hash_number(0, key.space), key.at)) % BUCKETS];

    if (!list->tqh_last)
        TAILQ_INIT(list);
    return list;
}

static bool futex_is_shared(struct vm *vm, uint64_t at)
{
    struct vm_mapping_info *info = kmem_alloc(sizeof *info);
    bool shared =
        info && vm_mapping_next(vm, at, info) && info->start <= at && info->flags & VM_SHARED;

    kmem_free(info);
    return shared;
}

int futex_key(uint64_t at, bool private, struct futex_key *key)
{
    struct vm *vm = vm_current();
    uint64_t physical;
    uint32_t word;

    if (at % sizeof word != 0)
        return -EINVAL;
    if (private || !futex_is_shared(vm, at)) {
        if (at >= ASPACE_USER_END)
            return -EFAULT;
        *key = (struct futex_key){(uintptr_t)vm, at};
        return 0;
    }
    for (unsigned i = 0; i < TRIES; i++) {
        if (copyin((const void *)at, &word, sizeof word) != 0)
            return -EFAULT;
        if (aspace_lookup(vm->aspace, at, &physical, NULL) == 0) {
            *key = (struct futex_key){0, physical};
            return 0;
        }
    }
    return -EFAULT;
}

/* Takes the lock with the word in *VALUE. -EFAULT: it was not taken. */
static int futex_lock_word(uint64_t at, uint32_t *value, uintptr_t *state)
{
    for (;;) {
        if (copyin((const void *)at, value, sizeof *value) != 0)
            return -EFAULT;
        *state = spinlock_acquire(&futex_lock);
        if (copyin((const void *)at, value, sizeof *value) == 0)
            return 0;
        spinlock_release(&futex_lock, *state);
    }
}

int futex_sleep(struct futex_waiter *waiter, uintptr_t *state, uint64_t deadline)
{
    int error = 0;

    wait_queue_init(&waiter->queue);
    waiter->woken = false;
    TAILQ_INSERT_TAIL(futex_list(waiter->key), waiter, link);
    while (!waiter->woken && error == 0)
        error = wait_interruptible(&waiter->queue, &futex_lock, state, deadline);
    if (!waiter->woken)
        TAILQ_REMOVE(futex_list(waiter->key), waiter, link);
    return waiter->woken ? 0 : error;
}

static long futex_wait(uint64_t at, bool private, uint32_t expected, uint32_t bits,
                       uint64_t deadline)
{
    struct futex_waiter waiter = {.bits = bits};
    uintptr_t state;
    uint32_t value;
    int error;

    if (bits == 0)
        return -EINVAL;
    error = futex_key(at, private, &waiter.key);
    if (error == 0)
        error = futex_lock_word(at, &value, &state);
    if (error != 0)
        return error;
    if (value != expected) {
        spinlock_release(&futex_lock, state);
        return -EAGAIN;
    }
    error = futex_sleep(&waiter, &state, deadline);
    spinlock_release(&futex_lock, state);
    return error;
}

void futex_wake_one(struct futex_list *list, struct futex_waiter *waiter)
{
    TAILQ_REMOVE(list, waiter, link);
    waiter->woken = true;
    wait_wake_all(&waiter->queue);
}

/* Lock. */
static long futex_wake_key(struct futex_key key, uint32_t most, uint32_t bits)
{
    struct futex_list *list = futex_list(key);
    struct futex_waiter *waiter, *next;
    uint32_t count = 0;

    for (waiter = TAILQ_FIRST(list); waiter && count < most; waiter = next) {
        next = TAILQ_NEXT(waiter, link);
        if (!futex_key_is(waiter->key, key) || !(waiter->bits & bits))
            continue;
        futex_wake_one(list, waiter);
        count++;
    }
    return count;
}

long futex_wake(uint64_t at, bool private, uint32_t most, uint32_t bits)
{
    struct futex_key key;
    uintptr_t state;
    long result;
    int error = bits == 0 ? -EINVAL : futex_key(at, private, &key);

    if (error != 0)
        return error;
    state = spinlock_acquire(&futex_lock);
    result = futex_wake_key(key, most, bits);
    spinlock_release(&futex_lock, state);
    return result;
}

/* Wakes MOST, lets up to MOVED others wait at TO. EXPECTED NULL: whatever the word is. */
static long futex_requeue(uint64_t at, uint64_t to, bool private, uint32_t most, uint32_t moved,
                          const uint32_t *expected)
{
    struct futex_waiter *waiter, *next;
    struct futex_key key, target;
    struct futex_list *list;
    uintptr_t state;
    uint32_t value;
    long result;
    int error = (int32_t)most < 0 || (int32_t)moved < 0 ? -EINVAL : futex_key(at, private, &key);

    if (error == 0)
        error = futex_key(to, private, &target);
    if (error == 0)
        error = futex_lock_word(at, &value, &state);
    if (error != 0)
        return error;
    if (expected && value != *expected) {
        spinlock_release(&futex_lock, state);
        return -EAGAIN;
    }
    result = futex_wake_key(key, most, FUTEX_BITSET_MATCH);
    list = futex_list(key);
    for (waiter = TAILQ_FIRST(list); waiter && moved > 0; waiter = next) {
        next = TAILQ_NEXT(waiter, link);
        if (!futex_key_is(waiter->key, key))
            continue;
        TAILQ_REMOVE(list, waiter, link);
        waiter->key = target;
        TAILQ_INSERT_TAIL(futex_list(target), waiter, link);
        moved--;
        result++;
    }
    spinlock_release(&futex_lock, state);
    return result;
}

/* FUTEX_WAKE_OP's operation on a word: the old value, or -EFAULT. */
static int futex_operate(uint64_t at, uint32_t operation, uint32_t *old)
{
    uint32_t argument = operation >> 12 & 0xfff, new;

    if (operation & 0x80000000u)
        argument = 1u << (argument & 31);
    if (copyin((const void *)at, old, sizeof *old) != 0)
        return -EFAULT;
    switch (operation >> 28 & 7) {
    case 0:
        new = argument;
        break;
    case 1:
        new = *old + argument;
        break;
    case 2:
        new = *old | argument;
        break;
    case 3:
        new = *old & ~argument;
        break;
    case 4:
        new = *old ^ argument;
        break;
    default:
        return -ENOSYS;
    }
    return copyout(&new, (void *)at, sizeof new);
}

static bool futex_compare(uint32_t operation, uint32_t old)
{
    int32_t value = (int32_t)old, with = (int32_t)(operation << 20) >> 20;

    switch (operation >> 24 & 15) {
    case 0:
        return value == with;
    case 1:
        return value != with;
    case 2:
        return value < with;
    case 3:
        return value <= with;
    case 4:
        return value > with;
    default:
        return value >= with;
    }
}

static long futex_wake_op(uint64_t at, uint64_t second, bool private, uint32_t most, uint32_t more,
                          uint32_t operation)
{
    struct futex_key key, other;
    uintptr_t state;
    uint32_t old;
    long result;
    int error = futex_key(at, private, &key);

    if (error == 0)
        error = futex_key(second, private, &other);
    if (error == 0)
        error = futex_operate(second, operation, &old);
    if (error != 0)
        return error;
    state = spinlock_acquire(&futex_lock);
    result = futex_wake_key(key, most, FUTEX_BITSET_MATCH);
    if (futex_compare(operation, old))
        result += futex_wake_key(other, more, FUTEX_BITSET_MATCH);
    spinlock_release(&futex_lock, state);
    return result;
}

static long futex_wait_again(struct task *task)
{
    long result = futex_wait(task->remainder_to, task->remainder_args[0] != 0,
                             (uint32_t)task->remainder_args[1], (uint32_t)task->remainder_args[2],
                             task->remainder_until);

    return result == -EINTR ? -RESTART_REMAINDER : result;
}

int futex_deadline(const void *user, bool real, uint64_t *deadline)
{
    uint64_t ns;
    int error = call_timespec_in(user, &ns);

    if (error == 0)
        *deadline = !real ? ns : ns > clock_boot_time() ? ns - clock_boot_time() : 0;
    return error;
}

static long futex_wait_call(struct trap_frame *frame, uint32_t operation, uint32_t bits)
{
    struct task *task = task_current();
    bool private = (operation & FUTEX_PRIVATE) != 0, timed = ARG(3) != 0;
    uint64_t deadline = WAIT_FOREVER, ns;
    long result;
    int error;

    if (timed) {
        error = (operation & 127) == FUTEX_WAIT
                    ? call_timespec_in(ARG_PTR(3), &ns)
                    : futex_deadline(ARG_PTR(3), operation & FUTEX_CLOCK_REALTIME, &deadline);
        if (error != 0)
            return error;
        if ((operation & 127) == FUTEX_WAIT)
            deadline = clock_after(clock_now(), ns);
    }
    result = futex_wait(ARG(0), private, ARG_U32(2), bits, deadline);
    if (result != -EINTR)
        return result;
    if (!timed)
        return -RESTART_CALL;
    task->remainder = futex_wait_again;
    task->remainder_until = deadline;
    task->remainder_to = ARG(0);
    task->remainder_args[0] = private;
    task->remainder_args[1] = ARG_U32(2);
    task->remainder_args[2] = bits;
    return -RESTART_REMAINDER;
}

CALL(futex)
{
    uint32_t operation = ARG_U32(1), expected = ARG_U32(5);
    bool private = (operation & FUTEX_PRIVATE) != 0;

    switch (operation & 127) {
    case FUTEX_WAIT:
        if (operation & FUTEX_CLOCK_REALTIME)
            return -ENOSYS;
        return futex_wait_call(frame, operation, FUTEX_BITSET_MATCH);
    case FUTEX_WAIT_BITSET:
        return futex_wait_call(frame, operation, ARG_U32(5));
    case FUTEX_WAKE:
        return futex_wake(ARG(0), private, ARG_U32(2), FUTEX_BITSET_MATCH);
    case FUTEX_WAKE_BITSET:
        return futex_wake(ARG(0), private, ARG_U32(2), ARG_U32(5));
    case FUTEX_REQUEUE:
        return futex_requeue(ARG(0), ARG(4), private, ARG_U32(2), ARG_U32(3), NULL);
    case FUTEX_CMP_REQUEUE:
        return futex_requeue(ARG(0), ARG(4), private, ARG_U32(2), ARG_U32(3), &expected);
    case FUTEX_WAKE_OP:
        return futex_wake_op(ARG(0), ARG(4), private, ARG_U32(2), ARG_U32(3), ARG_U32(5));
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
        return futex_lock_pi(ARG(0), operation, ARG_PTR(3));
    case FUTEX_TRYLOCK_PI:
        return futex_trylock_pi(ARG(0), private);
    case FUTEX_UNLOCK_PI:
        return futex_unlock_pi(ARG(0), private);
    default:
        return -ENOSYS;
    }
}
