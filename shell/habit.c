/* SPDX-License-Identifier: BSD-2-Clause */
/* habit: see habit.h. */
#include "shell/habit.h"

#include <stddef.h>
#include "lib/string.h"

static const struct {
    const char *name, *here;
} habits[] = {
    {"?", "help"},
    {"apropos", "help"},
    {"bg", "end the line with &"},
    {"cd", "there is no current directory; paths begin with /"},
    {"cksum", "sum"},
    {"df", "mem"},
    {"dhclient", "ifconfig"},
    {"dmidecode", "hinv, lspci"},
    {"env", "there are no variables"},
    {"export", "there are no variables"},
    {"fg", "wait"},
    {"free", "mem"},
    {"halt", "poweroff"},
    {"history", "Up, or ^R and text"},
    {"hostname", "sysctl kern.hostname"},
    {"htop", "top"},
    {"ip", "ifconfig, route, arp"},
    {"killall", "kill"},
    {"logout", "exit"},
    {"lsblk", "devctl list"},
    {"lscpu", "hinv"},
    {"man", "help NAME; the pages are in docs/man"},
    {"md5sum", "sum"},
    {"mdconfig", "devctl create md"},
    {"nproc", "sysctl hw.ncpu"},
    {"pciconf", "lspci"},
    {"pcictl", "lspci"},
    {"perf", "pmc stat, tprof"},
    {"pgrep", "ps"},
    {"pkill", "kill"},
    {"pmcstat", "pmc stat, tprof"},
    {"prstat", "top"},
    {"prtconf", "hinv, lspci"},
    {"psrinfo", "hinv"},
    {"psrset", "on"},
    {"pwd", "there is no current directory; paths begin with /"},
    {"quit", "exit"},
    {"sar", "vmstat, mpstat, iostat"},
    {"shutdown", "poweroff"},
    {"sockstat", "netstat"},
    {"ss", "netstat"},
    {"strace", "kstat"},
    {"taskset", "on"},
    {"type", "help NAME"},
    {"w", "uptime, ps"},
    {"which", "help NAME"},
    {"who", "uptime, ps"},
};

const char *habit_here(const char *name)
{
    for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++)
        if (strcmp(habits[i].name, name) == 0)
            return habits[i].here;
    return NULL;
}
