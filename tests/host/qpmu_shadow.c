/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shadow stacks against threads that are played at random: they call and return, are switched and
 * interrupted, and leave many functions at once. Each thread has a list of its calls of its own,
 * and the memory that return addresses lie in; the library is told no more than a plugin sees.
 */
#include "tests/host/test.h"
#include "tools/qpmu/shadow.h"

#include <stdlib.h>
#include <string.h>

#define THREADS 5
#define DEEP    300
#define STEPS   200000
#define STACK   0x100000u /* bytes of address space of each */
#define FRAME   64u       /* bytes of a frame, but for what a function adds */

static struct thread {
    uint64_t at[DEEP], back[DEEP], slot[DEEP]; /* an interrupt: slot 0 */
    unsigned depth;
    bool doubt; /* left functions by a jump, and has called none since */
} threads[THREADS];
static struct shadow_at cpu;
static unsigned running;
static uint32_t seed;

static unsigned number(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static uint64_t lowest(const struct thread *thread)
{
    for (unsigned i = thread->depth; i-- > 0;)
        if (thread->slot[i] != 0)
            return thread->slot[i];
    return (uint64_t)(thread - threads + 1) * STACK;
}

static void call(struct thread *thread)
{
    uint64_t by = thread->depth > 0 ? thread->at[thread->depth - 1] : 0;
    /* A function's calls all leave their return addresses at the same place. */
    uint64_t at = 0x1000 + number(64) * 16, slot = lowest(thread) - FRAME - by / 16 % 8 * 8;
    struct shadow_tag *beside = shadow_tag_at(slot, true);

    CHECK(beside != NULL);
    *beside = shadow_call(&cpu, at, at + 5, slot);
    thread->at[thread->depth] = at;
    thread->back[thread->depth] = at + 5;
    thread->slot[thread->depth++] = slot;
    thread->doubt = false;
}

static bool may_return(const struct thread *thread)
{
    return thread->depth > 0 && thread->slot[thread->depth - 1] != 0;
}

static void come_back(struct thread *thread)
{
    unsigned last = --thread->depth;

    CHECK(shadow_return(&cpu, shadow_tag_at(thread->slot[last], false), thread->back[last]));
    thread->doubt = false;
}

/* All threads stand in a function that lets others run, and return from it. */
static void let_run(unsigned next)
{
    call(&threads[running]);
    running = next;
    if (threads[next].depth > 0)
        come_back(&threads[next]);
    else
        shadow_begin(&cpu, false);
}

static void interrupt(struct thread *thread)
{
    uint64_t at = 0x9000 + number(64);

    shadow_interrupt(&cpu, SHADOW_INTERRUPTED, at, at);
    thread->at[thread->depth] = at;
    thread->slot[thread->depth++] = 0;
}

static void resume(struct thread *thread)
{
    shadow_resume(&cpu);
    thread->depth--;
}

/* Out of one to five functions, none of them an interrupt's handler. */
static void jump(struct thread *thread)
{
    unsigned most = 0;

    while (most < 5 && most + 1 < thread->depth && thread->slot[thread->depth - 1 - most] != 0 &&
           thread->slot[thread->depth - 2 - most] != 0)
        most++;
    if (most == 0)
        return;
    thread->depth -= 1 + number(most);
    thread->doubt = true;
    shadow_move(&cpu);
    if (number(4) == 0) { /* what comes between does not matter */
        interrupt(thread);
        resume(thread);
    }
    shadow_jump(&cpu);
}

static void check(const struct thread *thread)
{
    uint64_t words[2 * DEEP];
    bool whole, cut;
    uint32_t count = shadow_chain(&cpu, words, 2 * DEEP, &whole, &cut), at = 0;

    if (thread->doubt) {
        CHECK_EQUAL(count, 0);
        return;
    }
    for (unsigned i = thread->depth; i-- > 0;) {
        at += thread->slot[i] == 0;
        CHECK(thread->slot[i] != 0 || words[at - 1] == SHADOW_INTERRUPT);
        CHECK_EQUAL(words[at], thread->at[i]);
        at++;
    }
    CHECK_EQUAL(count, at);
    CHECK(!whole && !cut);
}

TEST(qpmu_shadow_of_threads)
{
    seed = 1;
    memset(threads, 0, sizeof(threads));
    running = 0;
    shadow_forget();
    shadow_begin(&cpu, false);
    for (unsigned step = 0; step < STEPS; step++) {
        struct thread *thread = &threads[running];
        unsigned what = number(100);

        if (what < 45 && thread->depth + 2 < DEEP)
            call(thread);
        else if (what < 85 && may_return(thread))
            come_back(thread);
        else if (what < 88 && thread->depth + 2 < DEEP && !thread->doubt)
            interrupt(thread);
        else if (what < 92 && thread->depth > 0 && !may_return(thread))
            resume(thread);
        else if (what < 95 && !thread->doubt)
            jump(thread);
        else if (what < 97 && thread->depth + 2 < DEEP)
            let_run((running + 1 + number(THREADS - 1)) % THREADS);
        check(&threads[running]);
    }
    shadow_forget();
}

/* A return address that was written anew, or whose caller is no more, leads nowhere. */
TEST(qpmu_shadow_of_what_is_gone)
{
    struct shadow_tag outer, inner;
    uint64_t words[4];
    bool whole, cut;

    shadow_forget();
    shadow_begin(&cpu, true);
    outer = shadow_call(&cpu, 0x100, 0x105, 0x8000);
    inner = shadow_call(&cpu, 0x200, 0x205, 0x7f00);
    CHECK_EQUAL(shadow_chain(&cpu, words, 4, &whole, &cut), 2);
    CHECK(words[0] == 0x200 && words[1] == 0x100 && whole && !cut);
    CHECK_EQUAL(shadow_chain(&cpu, words, 1, &whole, &cut), 1);
    CHECK(words[0] == 0x200 && cut);
    CHECK(!shadow_return(&cpu, &inner, 0x206));
    CHECK_EQUAL(shadow_chain(&cpu, words, 4, &whole, &cut), 0);
    CHECK(!whole);
    CHECK(shadow_return(&cpu, &outer, 0x105));
    CHECK(shadow_chain(&cpu, words, 4, &whole, &cut) == 0 && whole);
    outer = shadow_call(&cpu, 0x300, 0x305, 0x8000);
    CHECK(!shadow_return(&cpu, &inner, 0x205));
    CHECK(shadow_return(&cpu, &outer, 0x305));
    shadow_forget();
}

#define PAGES 8192u /* with tags, and no more */

TEST(qpmu_shadow_tags_have_a_limit)
{
    shadow_forget();
    for (uint64_t page = 0; page < PAGES; page++)
        CHECK(shadow_tag_at(page * 4096 + 8, true) != NULL);
    CHECK(shadow_tag_at(PAGES * 4096ull, true) == NULL);
    for (uint64_t page = 0; page < PAGES; page++)
        CHECK(shadow_tag_at(page * 4096, true) == shadow_tag_at(page * 4096, false));
    CHECK(shadow_tag_at(PAGES * 4096ull, false) == NULL);
    shadow_forget();
    CHECK(shadow_tag_at(PAGES * 4096ull, true) != NULL);
    shadow_forget();
}

/* To another stack, without a return: nobody knows who called. */
TEST(qpmu_shadow_of_another_stack)
{
    uint64_t words[4];
    bool whole, cut;

    shadow_forget();
    shadow_begin(&cpu, true);
    (void)shadow_call(&cpu, 0x100, 0x105, 0x8000);
    (void)shadow_call(&cpu, 0x200, 0x205, 0x7f00);
    (void)shadow_call(&cpu, 0x300, 0x305, 0x90000);
    CHECK_EQUAL(shadow_chain(&cpu, words, 4, &whole, &cut), 1);
    CHECK(words[0] == 0x300 && !whole && !cut);
    shadow_forget();
}

/* A user's calls are not the kernel's callers, and go on behind a system call. */
TEST(qpmu_shadow_of_users)
{
    uint64_t words[4];
    bool whole, cut;

    shadow_forget();
    shadow_begin(&cpu, false);
    (void)shadow_call(&cpu, 0x100, 0x105, 0x8000);
    shadow_interrupt(&cpu, SHADOW_ENTERED, 0, 0x150);
    (void)shadow_call(&cpu, 0x900, 0x905, 0xf000);
    CHECK_EQUAL(shadow_chain(&cpu, words, 4, &whole, &cut), 1);
    CHECK(words[0] == 0x900 && whole);
    cpu.depth--;
    shadow_leave(&cpu, 0x152);
    CHECK_EQUAL(shadow_chain(&cpu, words, 4, &whole, &cut), 1);
    CHECK(words[0] == 0x100 && !whole);
    shadow_interrupt(&cpu, SHADOW_ENTERED, 0, 0x150);
    shadow_leave(&cpu, 0x4000); /* another program */
    CHECK_EQUAL(shadow_chain(&cpu, words, 4, &whole, &cut), 0);
    shadow_forget();
}
