#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /init of a Linux guest that has perf.
mkdir -p /proc /sys /tmp
mount -t proc none /proc
mount -t sysfs none /sys
# The kernel lowers both where its handlers seem slow, and then leaves samples out.
echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
perf stat -x , -e instructions:u,branches:u,cycles:u /split 2>&1 | sed 's/^/stat /'
perf record -q -e instructions:u -c 10007 -o /tmp/data /split
perf report -i /tmp/data --stdio -q -F overhead,sample,symbol 2>/dev/null | sed 's/^/report /'
echo "guest done"
reboot -f
