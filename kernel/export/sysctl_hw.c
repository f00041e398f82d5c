/* SPDX-License-Identifier: BSD-2-Clause */
/* sysctl: hw.* and vm.*. */
#include <arch/cpu.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/memory/kmem.h"
#include "kernel/base/machine.h"
#include "kernel/memory/page.h"
#include "kernel/export/sysctl.h"

#define KMEM_CLASSES 16
#define MODEL        64

/* NetBSD's words for the two boards. */
static bool sysctl_hw_is_pc(void)
{
    return machine.name[0] == 'P';
}

static int sysctl_hw_read_machine(struct sysctl_request *request)
{
    return sysctl_out_string(request, sysctl_hw_is_pc() ? "amd64" : "evbmips");
}
SYSCTL(machine, .name = "hw.machine", .type = SYSCTL_STRING, .access = sysctl_hw_read_machine,
       .summary = "the kind of machine");

static int sysctl_hw_read_arch(struct sysctl_request *request)
{
    return sysctl_out_string(request, sysctl_hw_is_pc() ? "x86_64" : "mips64eb");
}
SYSCTL(machine_arch, .name = "hw.machine_arch", .type = SYSCTL_STRING,
       .access = sysctl_hw_read_arch, .summary = "its processors' architecture");

static int sysctl_hw_read_model(struct sysctl_request *request)
{
    char model[MODEL];

    cpu_describe(model, sizeof(model));
    return sysctl_out_string(request, model);
}
SYSCTL(model, .name = "hw.model", .type = SYSCTL_STRING, .access = sysctl_hw_read_model,
       .summary = "the processor's model");

static int sysctl_hw_read_ncpu(struct sysctl_request *request)
{
    return sysctl_out_int(request, (int)cpu_possible());
}
SYSCTL(ncpu, .name = "hw.ncpu", .type = SYSCTL_INT, .access = sysctl_hw_read_ncpu,
       .summary = "CPUs found");

static int sysctl_hw_read_ncpuonline(struct sysctl_request *request)
{
    return sysctl_out_int(request, (int)cpu_count());
}
SYSCTL(ncpuonline, .name = "hw.ncpuonline", .type = SYSCTL_INT, .access = sysctl_hw_read_ncpuonline,
       .summary = "CPUs that run");

static int sysctl_hw_read_physmem(struct sysctl_request *request)
{
    return sysctl_out_long(request, machine_memory_size());
}
SYSCTL(physmem, .name = "hw.physmem", .type = SYSCTL_LONG, .access = sysctl_hw_read_physmem,
       .summary = "bytes of RAM");

/* All but what the kernel's image and its tables take, as far as they are not the allocator's. */
static int sysctl_hw_read_usermem(struct sysctl_request *request)
{
    struct page_stats pages;

    page_stats_get(&pages);
    return sysctl_out_long(request, pages.total * PAGE_SIZE);
}
SYSCTL(usermem, .name = "hw.usermem", .type = SYSCTL_LONG, .access = sysctl_hw_read_usermem,
       .summary = "bytes of RAM that the page allocator has");

static int sysctl_hw_read_pagesize(struct sysctl_request *request)
{
    return sysctl_out_int(request, (int)PAGE_SIZE);
}
SYSCTL(pagesize, .name = "hw.pagesize", .type = SYSCTL_INT, .access = sysctl_hw_read_pagesize,
       .summary = "bytes of a page");

static int sysctl_hw_read_byteorder(struct sysctl_request *request)
{
    return sysctl_out_int(request, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4321 : 1234);
}
SYSCTL(byteorder, .name = "hw.byteorder", .type = SYSCTL_INT, .access = sysctl_hw_read_byteorder,
       .summary = "1234 little-endian, 4321 big-endian");

static int sysctl_hw_read_frequency(struct sysctl_request *request)
{
    return sysctl_out_long(request, clock_frequency());
}
SYSCTL(frequency, .name = "hw.counter_freq", .type = SYSCTL_LONG,
       .access = sysctl_hw_read_frequency,
       .summary = "cycles that the CPU's counter counts in a second");

#define PAGE_COUNT(ident, field, node, about)                                                      \
    static int sysctl_hw_read_##ident(struct sysctl_request *request)                              \
    {                                                                                              \
        struct page_stats pages;                                                                   \
                                                                                                   \
        page_stats_get(&pages);                                                                    \
        return sysctl_out_long(request, pages.field);                                              \
    }                                                                                              \
    SYSCTL(ident, .name = node, .type = SYSCTL_LONG, .access = sysctl_hw_read_##ident,             \
           .summary = about)

PAGE_COUNT(page_count, total, "vm.stats.vm.v_page_count", "pages that the allocator has");
PAGE_COUNT(free_count, free, "vm.stats.vm.v_free_count", "pages that are free");
PAGE_COUNT(lowest, lowest_free, "vm.stats.vm.v_free_least", "the fewest that have been free");
PAGE_COUNT(allocations, allocations, "vm.stats.page.allocations", "blocks of pages handed out");
PAGE_COUNT(frees, frees, "vm.stats.page.frees", "blocks of pages given back");
PAGE_COUNT(failures, failures, "vm.stats.page.failures", "requests that found no pages");
SYSCTL(page_size, .name = "vm.stats.vm.v_page_size", .type = SYSCTL_INT,
       .access = sysctl_hw_read_pagesize, .summary = "bytes of a page");

static int sysctl_hw_read_kmem(struct sysctl_request *request)
{
    struct kmem_class_stats classes[KMEM_CLASSES];
    size_t count = kmem_stats_get(classes, KMEM_CLASSES);
    uint64_t pages = 0;

    for (size_t i = 0; i < count && i < KMEM_CLASSES; i++)
        pages += classes[i].pages;
    return sysctl_out_long(request, pages * PAGE_SIZE);
}
SYSCTL(kmem_map_size, .name = "vm.kmem_map_size", .type = SYSCTL_LONG,
       .access = sysctl_hw_read_kmem, .summary = "bytes that the object allocator holds");
