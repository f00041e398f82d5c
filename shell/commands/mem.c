/* SPDX-License-Identifier: BSD-2-Clause */
/* mem: memory statistics: pages, whose they are, and small objects by size class. */
#include "kernel/memory/kmem.h"
#include "kernel/base/machine.h"
#include "kernel/memory/page.h"
#include "lib/format.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define CLASSES_MAX 16
#define KIB         1024u
#define OWNERS_MAX  64

static void print_pages(const struct page_stats *stats)
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

static void print_classes(const struct kmem_class_stats *classes, size_t count)
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
static void print_owners(void)
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

static int mem_run(int argc, char **argv)
{
    struct kmem_class_stats classes[CLASSES_MAX];
    struct page_stats pages;
    size_t count;

    if (options_none(argc, argv) != 0)
        return STATUS_USAGE;
    count = kmem_stats_get(classes, CLASSES_MAX); /* their pages are parts of those */
    page_stats_get(&pages);
    print_pages(&pages);
    print_classes(classes, count);
    print_owners();
    return 0;
}

COMMAND(mem, .name = "mem", .summary = "print memory statistics", .usage = "mem",
        .description =
            "memory is what the board has, total what the page allocator manages, lowest the\n"
            "least that was ever free. Then the small objects by size class, and who has how\n"
            "many pages; with those that are free they are all there are.\n"
            "\n"
            "Example: mem\n",
        .run = mem_run);
