/* SPDX-License-Identifier: BSD-2-Clause */
/* The laws of small objects: what is counted of size classes, of pages and of callers agrees. */
#include "kernel/base/law.h"
#include "kernel/memory/kmem_private.h"
#include "lib/format.h"
#include "lib/string.h"

/* Its subjects are the size classes. */
static void *kmem_laws_next_class(void *subject)
{
    struct kmem_class_stats *class = subject;

    if (!class)
        return &kmem_classes[0];
    return class == &kmem_classes[KMEM_CLASSES] ? NULL : class + 1;
}

static void kmem_laws_name_class(const void *subject, char *buffer, size_t size)
{
    unsigned class = (unsigned)((const struct kmem_class_stats *)subject - kmem_classes);

    if (class < KMEM_CLASSES)
        format(buffer, size, "%lu bytes", 1ul << (class + KMEM_SMALLEST));
    else
        strlcpy(buffer, "whole pages", size);
}

static const struct law_subjects classes = {kmem_laws_next_class, kmem_laws_name_class};

static uint64_t kmem_laws_handed_out(void *class)
{
    return ((const struct kmem_class_stats *)class)->allocations;
}

static uint64_t kmem_laws_back_or_in_use(void *class)
{
    const struct kmem_class_stats *s = class;

    return s->frees + s->in_use;
}

static uint64_t *kmem_laws_handed_out_word(void *class)
{
    return &((struct kmem_class_stats *)class)->allocations;
}

LAW(kmem_objects, .name = "kmem-objects", .subjects = &classes, .left = "allocated",
    .right = "freed + in use", .get_left = kmem_laws_handed_out,
    .get_right = kmem_laws_back_or_in_use, .word = kmem_laws_handed_out_word);

static uint64_t kmem_laws_pages_owned(void *unused)
{
    (void)unused;
    return kmem_page_owner->pages;
}

static uint64_t kmem_laws_pages_of_classes(void *unused)
{
    uint64_t sum = 0;

    (void)unused;
    for (unsigned class = 0; class <= KMEM_CLASSES; class ++)
        sum += kmem_classes[class].pages;
    return sum;
}

static uint64_t *kmem_laws_owned_word(void *unused)
{
    (void)unused;
    return &kmem_page_owner->pages;
}

LAW(kmem_page_law, .name = "kmem-pages", .about = kmem_classes, .left = "from the page allocator",
    .right = "of all classes", .get_left = kmem_laws_pages_owned,
    .get_right = kmem_laws_pages_of_classes, .word = kmem_laws_owned_word);

static uint64_t kmem_laws_objects_of_classes(void *unused)
{
    uint64_t sum = 0;

    (void)unused;
    for (unsigned class = 0; class < KMEM_CLASSES; class ++)
        sum += kmem_classes[class].in_use;
    return sum;
}

static uint64_t kmem_laws_objects_of_callers(void *unused)
{
    uint64_t sum = 0;

    (void)unused;
    for (unsigned n = 0; n < KMEM_CALLERS; n++)
        sum += kmem_callers[n].in_use;
    return sum;
}

static uint64_t *kmem_laws_callers_word(void *unused)
{
    (void)unused;
    return &kmem_callers[0].in_use;
}

LAW(kmem_caller_law, .name = "kmem-callers", .about = kmem_callers, .left = "of all callers",
    .right = "of the size classes", .get_left = kmem_laws_objects_of_callers,
    .get_right = kmem_laws_objects_of_classes, .word = kmem_laws_callers_word);
