/* SPDX-License-Identifier: BSD-2-Clause */
/* All I/O kstats, by the loop that the interface's own document prints. */
#include <kstat.h>
#include <stdio.h>

static void my_io_display(kstat_io_t kio)
{
    printf("%llu %llu %u %u %lld %lld %u %u\n", kio.nread, kio.nwritten, kio.reads, kio.writes,
           kio.rtime, kio.rlentime, kio.wcnt, kio.rcnt);
}

int main(void)
{
    kstat_ctl_t *kc;
    kstat_t *ksp;
    kstat_io_t kio;

    kc = kstat_open();
    for (ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next) {
        if (ksp->ks_type == KSTAT_TYPE_IO) {
            kstat_read(kc, ksp, &kio);
            printf("%s ", ksp->ks_name);
            my_io_display(kio);
        }
    }
    return 0;
}
