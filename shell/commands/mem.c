/* SPDX-License-Identifier: BSD-2-Clause */
/* mem: memory statistics: pages, whose they are, and small objects by size class. */
#include "kernel/memory/kmem.h"
#include "kernel/base/machine.h"
#include "kernel/base/symbol.h"
#include "kernel/memory/page.h"
#include "kernel/thread/mutex.h"
#include "lib/format.h"
#include "lib/section.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define CLASSES_MAX 16
#define KIB         1024u
#define OWNERS_MAX  64

static void mem_print_pages(const struct page_stats *stats)
{
    shell_printf("memory %12llu KiB\n", (unsigned long long)(machine_memory_size() / KIB));
    shell_printf("total  %12llu KiB %9llu pages\n",
                 (unsigned long long)(stats->total * (PAGE_SIZE / KIB)),
                 (unsigned long long)stats->total);
    shell_printf("free   %12llu KiB %9llu pages\n",
                 (unsigned long long)(stats->free * (PAGE_SIZE / KIB)),
                 (unsigned long long)stats->free);
    shell_printf("lowest %12llu KiB %9llu pages\n",
                 (unsigned long long)(stats->lowest_free * (PAGE_SIZE / KIB)),
                 (unsigned long long)stats->lowest_free);
    shell_printf("page blocks: %llu allocated, %llu freed, %llu refused\n\n",
                 (unsigned long long)stats->allocations, (unsigned long long)stats->frees,
                 (unsigned long long)stats->failures);
}

static void mem_print_classes(const struct kmem_class_stats *classes, size_t count)
{
    char size[16];

    shell_printf("object size     in use      pages  allocated      freed    refused\n");
    for (size_t i = 0; i < count && i < CLASSES_MAX && !shell_interrupted(); i++) {
        if (classes[i].size == 0)
            format(size, sizeof(size), "larger");
        else
            format(size, sizeof(size), "%zu", classes[i].size);
        shell_printf("%11s %10llu %10llu %10llu %10llu %10llu\n", size,
                     (unsigned long long)classes[i].in_use, (unsigned long long)classes[i].pages,
                     (unsigned long long)classes[i].allocations,
                     (unsigned long long)classes[i].frees, (unsigned long long)classes[i].failures);
    }
}

/* Of one moment, before anything is printed; the rest of all pages is free. */
static void mem_print_owners(void)
{
    uint64_t pages[OWNERS_MAX];
    struct page_owner *owner = NULL;
    size_t count = 0;

    while (count < OWNERS_MAX && (owner = page_owner_next(owner)) != NULL)
        pages[count++] = owner->pages;
    shell_printf("\nowner                     pages\n");
    owner = NULL;
    for (size_t i = 0; i < count && (owner = page_owner_next(owner)) != NULL; i++)
        shell_printf("%-20s %10llu\n", owner->name, (unsigned long long)pages[i]);
}

/* What was at the last `mem -v`, for the next one. */
struct mem_before {
    uint64_t pages[OWNERS_MAX];
    struct kmem_caller callers[KMEM_CALLERS];
    size_t count;
};

static SHARED_BSS struct mem_before before; /* before_lock */
static kmutex_t before_lock = {.name = "mem -v",
                               .lock = SPINLOCK_INITIALIZER("mutex interlock"),
                               .waiters = WAIT_QUEUE_INITIALIZER(before_lock.waiters)};

static uint64_t mem_had(uintptr_t pc)
{
    for (size_t i = 0; i < before.count; i++)
        if (before.callers[i].pc == pc)
            return before.callers[i].in_use;
    return 0;
}

static void mem_print_growth(const char *name, uint64_t now, uint64_t then)
{
    if (now != 0 || then != 0)
        shell_printf("%-32s %10llu %+10lld\n", name, (unsigned long long)now,
                     (long long)(now - then));
}

/* The function that asked, and where in it if it asks in several places. */
static void mem_name_caller(uintptr_t pc, char *name, size_t size)
{
    uintptr_t offset = 0;
    const char *function = pc ? symbol_find(pc - 1, &offset) : NULL;

    if (function)
        format(name, size, "%s+0x%lx", function, (unsigned long)offset + 1);
    else
        format(name, size, "others");
}

/* Both tables of one moment each, and by how much they have grown. */
static int mem_print_grown(void)
{
    struct kmem_caller *now = kmem_alloc(KMEM_CALLERS * sizeof *now);
    struct page_owner *owner = NULL;
    uint64_t pages[OWNERS_MAX] = {0};
    size_t count, owners = 0;
    char name[48];

    if (!now) {
        shell_printf("mem: no memory\n");
        return 1;
    }
    mutex_enter(&before_lock);
    count = kmem_callers_get(now, KMEM_CALLERS);
    while (owners < OWNERS_MAX && (owner = page_owner_next(owner)) != NULL)
        pages[owners++] = owner->pages;
    shell_printf("%-32s %10s %10s\n", "owner", "pages", "growth");
    owner = NULL;
    for (size_t i = 0; i < owners && (owner = page_owner_next(owner)) != NULL; i++)
        mem_print_growth(owner->name, pages[i], before.pages[i]);
    shell_printf("\n%-32s %10s %10s\n", "asked for by", "objects", "growth");
    for (size_t i = 0; i < count; i++) {
        mem_name_caller(now[i].pc, name, sizeof name);
        mem_print_growth(name, now[i].in_use, mem_had(now[i].pc));
    }
    memcpy(before.pages, pages, owners * sizeof pages[0]);
    memcpy(before.callers, now, count * sizeof *now);
    before.count = count;
    mutex_exit(&before_lock);
    kmem_free(now);
    return 0;
}

static int mem_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "v"};
    struct kmem_class_stats classes[CLASSES_MAX];
    struct page_stats pages;
    bool grown = false;
    size_t count;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        grown = true;
    }
    if (options.index < argc)
        return command_usage(argv[0]);
    if (grown)
        return mem_print_grown();
    count = kmem_stats_get(classes, CLASSES_MAX); /* their pages are parts of those */
    page_stats_get(&pages);
    mem_print_pages(&pages);
    mem_print_classes(classes, count);
    mem_print_owners();
    return 0;
}

COMMAND(mem, .name = "mem", .summary = "print memory statistics", .usage = "mem [-v]",
        .description =
            "memory is what the board has, total what the page allocator manages, lowest the\n"
            "least that was ever free. Then the small objects by size class, and who has how\n"
            "many pages; with those that are free they are all there are.\n"
            "  -v  pages by owner, and small objects by the place in the kernel that asked for\n"
            "      them, each with its growth since the last `mem -v`, at first since the start\n"
            "\n"
            "Example: mem -v; devctl create md 1; mem -v\n",
        .run = mem_run);
