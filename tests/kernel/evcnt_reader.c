/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reader of a counter, or of what one CPU has counted of it, that is overtaken between any two of
 * its instructions: single-stepped, and at one step, a later one each time, the counter is
 * detached, others are given the cells that it had, and count. The reader must not see what they
 * have counted.
 */
#include <arch/test/step.h>
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/selftest.h"

#define COUNT     1000u /* what the reader has to find */
#define HEIRS     8u    /* who come after it */
#define HERITAGE  3000u /* what each of them counts */
#define STEPS_MAX 400u

static struct evcnt *read_one, *heirs;
static unsigned step, overtaken_at;
static uint64_t (*reader)(void);
static uint64_t found;

static void evcnt_reader_raise(struct evcnt *ev, unsigned times)
{
    while (times-- > 0)
        evcnt_incr(ev);
}

static void read_it(void *unused)
{
    (void)unused;
    found = reader();
}

static uint64_t evcnt_reader_whole(void)
{
    return evcnt_value(read_one);
}

static uint64_t evcnt_reader_share(void)
{
    return evcnt_cpu_value(read_one, 0);
}

static void evcnt_reader_between(void)
{
    if (step++ != overtaken_at)
        return;
    evcnt_detach(read_one);
    for (unsigned i = 0; i < HEIRS; i++) {
        evcnt_attach_dynamic(&heirs[i], EVCNT_TYPE_MISC, NULL, "selftest", "heir");
        evcnt_reader_raise(&heirs[i], HERITAGE);
    }
}

static void restore(void)
{
    for (unsigned i = 0; i < HEIRS; i++)
        evcnt_detach(&heirs[i]);
    evcnt_attach_static(read_one);
}

static int overtake(void)
{
    for (overtaken_at = 0; overtaken_at < STEPS_MAX; overtaken_at++) {
        step = 0;
        if (!trap_single_step(read_it, NULL, evcnt_reader_between))
            return selftest_skip("this machine has no single step");
        if (step <= overtaken_at) { /* it had ended by then */
            SELFTEST_CHECK(overtaken_at > 10);
            SELFTEST_EQUAL(found, COUNT);
            return 0;
        }
        restore();
        if (found != COUNT && (reader == evcnt_reader_whole || found != 0)) /* no cells, no share */
            return selftest_fail("at step %u: %lu", overtaken_at, (unsigned long)found);
    }
    return selftest_fail("the reader does not end");
}

static int evcnt_reader_overtaken(uint64_t (*read)(void))
{
    int result;

    if (cpu_possible() == 1)
        return selftest_skip("there is one CPU");
    reader = read;
    read_one = kmem_zalloc(sizeof *read_one);
    heirs = kmem_zalloc(HEIRS * sizeof *heirs);
    if (!read_one || !heirs)
        return selftest_fail("no memory");
    evcnt_attach_dynamic(read_one, EVCNT_TYPE_MISC, NULL, "selftest", "overtaken");
    evcnt_reader_raise(read_one, COUNT);
    result = overtake();
    evcnt_detach(read_one);
    kmem_free(heirs);
    kmem_free(read_one);
    return result;
}

SELFTEST(evcnt_overtaken, "evcnt-overtaken",
         "a reader overtaken at any instruction does not read the cells' next owner")
{
    return evcnt_reader_overtaken(evcnt_reader_whole);
}

SELFTEST(evcnt_overtaken_share, "evcnt-overtaken-share", "nor does one of a CPU's share")
{
    uint32_t affinity = thread_affinity(thread_current());
    int result;

    SELFTEST_EQUAL(thread_set_affinity(thread_current(), 1), 0);
    result = evcnt_reader_overtaken(evcnt_reader_share);
    thread_set_affinity(thread_current(), affinity);
    return result;
}
