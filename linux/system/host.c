/* SPDX-License-Identifier: BSD-2-Clause */
/* The system as a whole, as programs are told of it: names, memory, how busy it is. */
#include "linux/system/host.h"
#include "fs/tree/tree_data.h"
#include "kernel/export/host_name.h"
#include "kernel/memory/page.h"
#include "kernel/thread/load.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

static char host_domain[HOST_MOST + 1] = "(none)";
static struct spinlock host_lock = SPINLOCK_INITIALIZER("domain name");

void host_names(struct abi_utsname *out)
{
    uintptr_t state;

    memset(out, 0, sizeof *out);
    strlcpy(out->sysname, "Linux", sizeof out->sysname);
    host_name_get(out->nodename, sizeof out->nodename);
    strlcpy(out->release, "6.1.0-quipu", sizeof out->release);
    strlcpy(out->version, "#1 Quipu", sizeof out->version);
    strlcpy(out->machine, ABI_MACHINE_NAME, sizeof out->machine);
    state = spinlock_acquire(&host_lock);
    strlcpy(out->domainname, host_domain, sizeof out->domainname);
    spinlock_release(&host_lock, state);
}

void host_set_domain(const char *name, size_t size)
{
    uintptr_t state = spinlock_acquire(&host_lock);

    memcpy(host_domain, name, size);
    host_domain[size] = '\0';
    spinlock_release(&host_lock, state);
}

CALL(uname)
{
    struct abi_utsname out;

    host_names(&out);
    return copyout(&out, ARG_PTR(0), sizeof out);
}

static long host_set(const void *user, int64_t size, void (*set)(const char *name, size_t size))
{
    char name[HOST_MOST];

    if (!program_is_root(task_current()->program))
        return -EPERM;
    if (size < 0 || size > HOST_MOST)
        return -EINVAL;
    if (copyin(user, name, (size_t)size) != 0)
        return -EFAULT;
    set(name, (size_t)size);
    return 0;
}

CALL(sethostname)
{
    return host_set(ARG_PTR(0), ARG_INT(1), host_name_set);
}

CALL(setdomainname)
{
    return host_set(ARG_PTR(0), ARG_INT(1), host_set_domain);
}

CALL(sysinfo)
{
    struct abi_sysinfo out;
    struct page_stats pages;

    memset(&out, 0, sizeof out);
    page_stats_get(&pages);
    out.uptime = (int64_t)(clock_now() / 1000000000u);
    for (unsigned i = 0; i < LOAD_AVERAGES; i++)
        out.loads[i] = load_average(i, 16); /* SI_LOAD_SHIFT */
    out.totalram = pages.total * PAGE_SIZE;
    out.freeram = pages.free * PAGE_SIZE;
    out.sharedram = tree_data_pages() * PAGE_SIZE; /* what /tmp holds */
    out.procs = (uint16_t)program_count();
    out.unit = 1; /* as where a word has 64 bits */
    return copyout(&out, ARG_PTR(0), sizeof out);
}
