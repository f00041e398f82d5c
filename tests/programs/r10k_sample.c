/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the example of r10k_counters(5) does, step by step. Its second loop asks for i == 9, which
 * never holds from 16 on, so the data cache's misses are not counted; with an argument it asks for
 * i == HWPERF_CNT1BASE + 9, and they are. The argument is how many pages later the data begins.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/hwperfmacros.h>
#include <sys/hwperftypes.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WORDS (1 << 18)

#define PAGE_WORDS 1024
#define LATER      3 /* at most */

static volatile int room[WORDS + LATER * PAGE_WORDS] __attribute__((aligned(4096)));

int main(int argc, char **argv)
{
    hwperf_profevctrarg_t evctr_args;
    hwperf_cntr_t cnts;
    char pfile[20];
    int generation1, generation2, i, fd, nine = argc > 1 ? HWPERF_CNT1BASE + 9 : 9;

    volatile int *data = room + (argc > 1 ? atoi(argv[1]) % (LATER + 1) * PAGE_WORDS : 0);

    sprintf(pfile, "/proc/%05d", getpid());
    fd = open(pfile, O_RDWR);
    for (i = 0; i < HWPERF_CNTEVENTMAX; i++) {
        evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_spec = 0;
        evctr_args.hwp_ovflw_freq[i] = 0;
        if (i == 9) {
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_mode = HWPERF_CNTEN_U;
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_ie = 1;
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_ev = i;
        }
    }
    for (i = HWPERF_CNT1BASE; i < HWPERF_EVENTMAX; i++) {
        evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_spec = 0;
        evctr_args.hwp_ovflw_freq[i] = 0;
        if (i == nine) {
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_mode = HWPERF_CNTEN_U;
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_ie = 1;
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_ev = i - HWPERF_CNT1BASE;
        }
    }
    evctr_args.hwp_ovflw_sig = 0;
    generation1 = ioctl(fd, PIOCENEVCTRS, (void *)&evctr_args);
    if (generation1 < 0) {
        perror("failed to acquire counters");
        exit(errno);
    }
    for (i = 0; i < WORDS; i += 4)
        data[i] = i;
    if ((generation2 = ioctl(fd, PIOCGETEVCTRS, (void *)&cnts)) < 0) {
        perror("PIOCGETEVCTRS returns error");
        exit(errno);
    }
    if (generation1 != generation2) {
        printf("program lost event counters\n");
        exit(0);
    }
    if ((ioctl(fd, PIOCRELEVCTRS)) < 0) {
        perror("prioctl PIOCRELEVCTRS returns error");
        exit(errno);
    }
    printf("instruction cache misses: %llu\n", (unsigned long long)cnts.hwp_evctr[9]);
    printf("data cache misses: %llu\n", (unsigned long long)cnts.hwp_evctr[25]);
    exit(0);
}
