/* SPDX-License-Identifier: BSD-2-Clause */
/* bench kstat: many kstats are found by name, listed, read and printed; one disk's is read. */
#include <kstat.h>
#include "kernel/memory/kmem.h"
#include "kernel/device/late.h"
#include "lib/string.h"
#include "shell/commands/bench/bench.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define COUNT_MAX  100000
#define STATISTICS 4 /* in each of the many */

static __attribute__((noinline, noclone)) void bench_kstat_find(kstat_ctl_t *kc, unsigned count)
{
    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        int instance = (int)((uint64_t)i * count / BENCH_ROUNDS);

        BENCH_PLACE("bench_find_begin");
        kstat_lookup(kc, "bench", instance, "one of many");
        BENCH_PLACE("bench_find_end");
    }
}

/* The first read allocates the data. */
static __attribute__((noinline, noclone)) void bench_kstat_read_often(kstat_ctl_t *kc, kstat_t *ksp)
{
    kstat_read(kc, ksp, NULL);
    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        BENCH_PLACE("bench_io_begin");
        kstat_read(kc, ksp, NULL);
        BENCH_PLACE("bench_io_end");
    }
}

/* Without what it takes to free the copy again. */
static __attribute__((noinline, noclone)) kstat_ctl_t *bench_kstat_copy_all(void)
{
    kstat_ctl_t *kc;

    BENCH_PLACE("bench_snapshot_begin");
    kc = kstat_open();
    for (kstat_t *ksp = kc != NULL ? kc->kc_chain : NULL; ksp != NULL; ksp = ksp->ks_next) {
        if (strcmp(ksp->ks_module, "bench") == 0)
            kstat_read(kc, ksp, NULL);
    }
    BENCH_PLACE("bench_snapshot_end");
    return kc;
}

static __attribute__((noinline, noclone)) int bench_kstat_print_all(void)
{
    char *words[] = {"kstat", "-p", "-m", "bench", NULL};
    int status;

    BENCH_PLACE("bench_print_begin");
    status = command_run(4, words);
    BENCH_PLACE("bench_print_end");
    return status;
}

static int bench_kstat_measure(unsigned count)
{
    kstat_ctl_t *kc = bench_kstat_copy_all();
    kstat_t *ksp;

    if (kc == NULL)
        return 1;
    bench_kstat_find(kc, count);
    for (ksp = kc->kc_chain; ksp != NULL && ksp->ks_type != KSTAT_TYPE_IO;)
        ksp = ksp->ks_next;
    if (ksp != NULL)
        bench_kstat_read_often(kc, ksp);
    kstat_close(kc);
    return bench_kstat_print_all();
}

static kstat_t *bench_kstat_create(int instance)
{
    static const char *const names[STATISTICS] = {"first", "second", "third", "fourth"};
    kstat_t *ksp =
        kstat_create("bench", instance, "one of many", "misc", KSTAT_TYPE_NAMED, STATISTICS, 0);

    for (unsigned i = 0; ksp != NULL && i < STATISTICS; i++) {
        kstat_named_init(&KSTAT_NAMED_PTR(ksp)[i], names[i], KSTAT_DATA_UINT64);
        KSTAT_NAMED_PTR(ksp)[i].value.ui64 = 12345678;
    }
    if (ksp != NULL)
        kstat_install(ksp);
    return ksp;
}

int bench_kstat(const char *text)
{
    kstat_t **many;
    uint64_t count;
    unsigned made = 0;
    int status = 1;

    if (options_number((char *[]){"bench"}, "number of kstats", text, 1, COUNT_MAX, &count) != 0)
        return STATUS_USAGE;
    late_start();
    many = kmem_zalloc(count * sizeof(many[0]));
    while (many != NULL && made < count && (many[made] = bench_kstat_create((int)made)) != NULL)
        made++;
    if (many != NULL && made == count)
        status = bench_kstat_measure(made);
    if (status != 0)
        shell_printf("bench: no memory for that many kstats\n");
    while (made > 0)
        kstat_delete(many[--made]);
    kmem_free(many);
    return status;
}
