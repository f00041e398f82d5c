/* SPDX-License-Identifier: BSD-2-Clause */
/* Shadow stacks: see shadow.h. */
#include "tools/qpmu/shadow.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STACKS     8192u
#define FRAMES     64u    /* of a new stack */
#define FRAMES_MAX 65536u /* and at the most: what is above is not kept */
#define PAGE       4096u
#define PAGE_TAGS  (PAGE / 4)
#define PAGES      16384u /* places in the table, of which half may be used; a power of two */
#define ONE_FRAME  16384u /* bytes: no function has more on its stack (see unwound) */
#define USER_SPAN  15u    /* bytes: a system call goes on behind its instruction */

struct shadow_stack {
    uint32_t number; /* from 1 */
    uint32_t room;
    uint64_t base;   /* the serial of `below the first frame` */
    uint64_t serial; /* of the last frame; goes on when the stack is used anew */
    bool whole;
    struct shadow_frame *frames;
};

struct tag_page {
    uint64_t page;
    struct shadow_tag tags[PAGE_TAGS];
};

static struct shadow_stack *stacks[STACKS];
static uint32_t stacks_used;
static struct tag_page *pages[PAGES];
static unsigned pages_used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void shadow_forget(void)
{
    for (unsigned i = 0; i < STACKS; i++) {
        if (stacks[i])
            free(stacks[i]->frames);
        free(stacks[i]);
        stacks[i] = NULL;
    }
    for (unsigned i = 0; i < PAGES; i++) {
        free(pages[i]);
        pages[i] = NULL;
    }
    stacks_used = pages_used = 0;
}

/* When there are too many the oldest one is taken, whose tags are good no more. */
static struct shadow_stack *new_stack(void)
{
    struct shadow_stack **place, *stack;

    pthread_mutex_lock(&lock);
    place = &stacks[stacks_used++ % STACKS];
    stack = *place;
    if (!stack) {
        stack = calloc(1, sizeof(*stack));
        if (stack) {
            stack->frames = malloc(FRAMES * sizeof(stack->frames[0]));
            stack->room = stack->frames ? FRAMES : 0;
            stack->number = (uint32_t)(place - stacks) + 1;
            *place = stack;
        }
    }
    if (stack)
        stack->base = ++stack->serial;
    pthread_mutex_unlock(&lock);
    return stack;
}

void shadow_begin(struct shadow_at *where, bool whole)
{
    where->stack = new_stack();
    where->depth = 0;
    if (where->stack)
        where->stack->whole = whole;
}

static struct shadow_frame *frame_of(const struct shadow_stack *stack, uint32_t n)
{
    return n < stack->room ? &stack->frames[n] : NULL;
}

static struct shadow_frame *shadow_top(const struct shadow_at *where)
{
    return where->stack && where->depth > 0 ? frame_of(where->stack, where->depth - 1) : NULL;
}

static uint64_t serial_at(const struct shadow_stack *stack, uint32_t depth)
{
    const struct shadow_frame *frame;

    if (depth == 0)
        return stack->base;
    frame = frame_of(stack, depth - 1);
    return frame ? frame->serial : 0;
}

static bool grow(struct shadow_stack *stack)
{
    uint32_t room = stack->room * 2;
    struct shadow_frame *frames;

    if (room == 0 || room > FRAMES_MAX)
        return false;
    frames = realloc(stack->frames, room * sizeof(*frames));
    if (!frames)
        return false;
    stack->frames = frames;
    stack->room = room;
    return true;
}

static void push(struct shadow_at *where, const struct shadow_frame *frame)
{
    struct shadow_stack *stack;

    if (!where->stack)
        shadow_begin(where, false);
    stack = where->stack;
    if (!stack)
        return;
    if (where->depth < stack->room || grow(stack)) {
        stack->frames[where->depth] = *frame;
        stack->frames[where->depth].serial = ++stack->serial;
    }
    where->depth++;
}

/*
 * A return address that does not lie below its caller's: functions were left without returning, by
 * a jump out of them, or the CPU has changed to another stack. Frames whose return addresses lie in
 * what the calling function has on its stack are gone. True if that function is found.
 */
static bool unwound(struct shadow_at *where, uint64_t slot)
{
    for (uint32_t depth = where->depth; depth > 1; depth--) {
        const struct shadow_frame *gone = frame_of(where->stack, depth - 1),
                                  *caller = frame_of(where->stack, depth - 2);

        if (!gone || !caller || gone->kind != SHADOW_CALL || gone->slot == 0 || gone->slot > slot)
            return false;
        if (caller->kind != SHADOW_CALL || caller->slot == 0)
            return false;
        if (caller->slot <= slot)
            continue;
        if (caller->slot - gone->slot > ONE_FRAME)
            return false;
        where->depth = depth - 1;
        return true;
    }
    return false;
}

struct shadow_tag shadow_call(struct shadow_at *where, uint64_t at, uint64_t back, uint64_t slot)
{
    const struct shadow_frame frame = {.at = at, .back = back, .slot = slot, .kind = SHADOW_CALL};
    const struct shadow_frame *top = shadow_top(where);
    struct shadow_tag tag = {.back = back};

    if (top && top->kind == SHADOW_DOUBT) {
        where->depth--;
        top = shadow_top(where);
    }
    if (slot != 0 && top && top->kind == SHADOW_CALL && top->slot != 0 && top->slot <= slot &&
        !unwound(where, slot))
        shadow_begin(where, false);
    if (!where->stack)
        shadow_begin(where, false);
    if (where->stack) {
        tag.stack = where->stack->number;
        tag.depth = where->depth;
        tag.serial = serial_at(where->stack, where->depth);
        push(where, &frame);
    }
    return tag;
}

bool shadow_return(struct shadow_at *where, const struct shadow_tag *tag, uint64_t back)
{
    struct shadow_stack *stack =
        tag->stack != 0 && tag->stack <= STACKS ? stacks[tag->stack - 1] : NULL;

    if (!stack || tag->back != back || tag->serial < stack->base ||
        serial_at(stack, tag->depth) != tag->serial) {
        shadow_begin(where, false);
        return false;
    }
    where->stack = stack;
    where->depth = tag->depth;
    return true;
}

void shadow_interrupt(struct shadow_at *where, enum shadow_kind kind, uint64_t at, uint64_t back)
{
    const struct shadow_frame frame = {.at = at, .back = back, .kind = (uint8_t)kind};

    push(where, &frame);
}

void shadow_move(struct shadow_at *where)
{
    struct shadow_frame *top = shadow_top(where);

    if (top)
        top->moved = true;
}

bool shadow_has_moved(const struct shadow_at *where)
{
    const struct shadow_frame *top = shadow_top(where);

    return top && top->kind == SHADOW_CALL && top->moved;
}

void shadow_jump(struct shadow_at *where)
{
    const struct shadow_frame doubt = {.kind = SHADOW_DOUBT};

    if (shadow_has_moved(where))
        push(where, &doubt);
}

void shadow_resume(struct shadow_at *where)
{
    const struct shadow_frame *top = shadow_top(where);

    if (top && top->kind == SHADOW_INTERRUPTED)
        where->depth--;
}

void shadow_leave(struct shadow_at *where, uint64_t pc)
{
    const struct shadow_frame *top = shadow_top(where);

    if (top && top->kind == SHADOW_ENTERED && (top->back == 0 || pc - top->back <= USER_SPAN)) {
        where->depth--;
        return;
    }
    shadow_begin(where, false);
}

/* Pages are never moved while anybody looks; who looks without the lock sees a page or none. */
static struct tag_page *page_in(struct tag_page *const *table, uint64_t page, unsigned *free_at)
{
    unsigned at = (unsigned)(page * 0x9e3779b97f4a7c15ull >> 40) % PAGES;
    struct tag_page *found;

    while ((found = __atomic_load_n(&table[at], __ATOMIC_ACQUIRE)) != NULL && found->page != page)
        at = (at + 1) % PAGES;
    *free_at = at;
    return found;
}

static struct tag_page *add_page(uint64_t page)
{
    struct tag_page *found;
    unsigned at;

    pthread_mutex_lock(&lock);
    found = page_in(pages, page, &at);
    if (!found && pages_used < PAGES / 2) {
        found = calloc(1, sizeof(*found));
        if (found) {
            found->page = page;
            pages_used++;
            __atomic_store_n(&pages[at], found, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

struct shadow_tag *shadow_tag_at(uint64_t place, bool create)
{
    unsigned at;
    struct tag_page *page = page_in(pages, place / PAGE, &at);

    if (!page && create)
        page = add_page(place / PAGE);
    return page ? &page->tags[place % PAGE / 4] : NULL;
}

uint32_t shadow_chain(const struct shadow_at *where, uint64_t *words, uint32_t room, bool *whole,
                      bool *cut)
{
    const struct shadow_stack *stack = where->stack;
    uint32_t depth = where->depth, count = 0;

    *whole = *cut = false;
    for (; stack && depth > 0; depth--) {
        const struct shadow_frame *frame = frame_of(stack, depth - 1);

        if (!frame)
            return count;
        if (frame->kind == SHADOW_DOUBT)
            return count;
        if (frame->kind == SHADOW_ENTERED) {
            *whole = true;
            return count;
        }
        if (count + 1u + (frame->kind == SHADOW_INTERRUPTED) > room) {
            *cut = true;
            return count;
        }
        if (frame->kind == SHADOW_INTERRUPTED)
            words[count++] = SHADOW_INTERRUPT;
        words[count++] = frame->at;
    }
    *whole = stack && stack->whole;
    return count;
}
