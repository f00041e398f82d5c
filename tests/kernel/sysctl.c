/* SPDX-License-Identifier: BSD-2-Clause */
/* sysctlbyname: sizes, parts of values, and refusals. */
#include "kernel/export/sysctl.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "tests/kernel/selftest.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/evcnt/evcnt_export.h"

#define BUFFER_BYTES (1ul << 18)

static int check_sizes(void)
{
    char name[16] = "untouched";
    size_t size = 0;
    int value = 0;

    SELFTEST_EQUAL(sysctlbyname("hw.pagesize", NULL, &size, NULL, 0), 0);
    SELFTEST_EQUAL(size, sizeof(value));
    SELFTEST_EQUAL(sysctlbyname("hw.pagesize", &value, &size, NULL, 0), 0);
    SELFTEST_EQUAL(value, PAGE_SIZE);
    size = 3;
    SELFTEST_EQUAL(sysctlbyname("kern.ostype", name, &size, NULL, 0), -ENOMEM);
    SELFTEST_EQUAL(size, sizeof("Quipu"));
    SELFTEST_CHECK(memcmp(name, "Quiouched", 9) == 0);
    size = sizeof(name);
    SELFTEST_EQUAL(sysctlbyname("kern.ostype", name, &size, NULL, 0), 0);
    SELFTEST_CHECK(strcmp(name, "Quipu") == 0 && size == sizeof("Quipu"));
    SELFTEST_EQUAL(sysctlbyname("kern.ostype", NULL, NULL, NULL, 0), 0);
    return 0;
}

static int check_refusals(void)
{
    size_t size = 0;
    int value = 1;

    SELFTEST_EQUAL(sysctlbyname("", NULL, &size, NULL, 0), -ENOENT);
    SELFTEST_EQUAL(sysctlbyname("nothing", NULL, &size, NULL, 0), -ENOENT);
    SELFTEST_EQUAL(sysctlbyname("hw.ncpu.1", NULL, &size, NULL, 0), -ENOENT);
    SELFTEST_EQUAL(sysctlbyname("hw", NULL, &size, NULL, 0), -EISDIR);
    SELFTEST_EQUAL(sysctlbyname("hw.ncpu", NULL, NULL, &value, sizeof(value)), -EPERM);
    SELFTEST_EQUAL(sysctlbyname("kern.hostname", NULL, NULL, "", 0), -EINVAL);
    SELFTEST_EQUAL(sysctlbyname("kern.evcnt.0", NULL, &size, NULL, 0), -EINVAL);
    SELFTEST_EQUAL(sysctlbyname("kern.evcnt.0.", NULL, &size, NULL, 0), -EINVAL);
    SELFTEST_EQUAL(sysctlbyname("kern.evcnt.3.0", NULL, &size, NULL, 0), -EINVAL);
    return 0;
}

/* The old value is given out, the new one taken, in one call. */
static int check_write(void)
{
    char old[256], now[256];
    size_t size = sizeof(old);

    SELFTEST_EQUAL(sysctlbyname("kern.hostname", old, &size, "khipu", 5), 0);
    SELFTEST_EQUAL(size, strlen(old) + 1);
    size = sizeof(now);
    SELFTEST_EQUAL(sysctlbyname("kern.hostname", now, &size, old, strlen(old)), 0);
    SELFTEST_CHECK(strcmp(now, "khipu") == 0);
    return 0;
}

/* Asking for the size allows for counters that come meanwhile, as NetBSD does. */
static int check_records(void *buffer, size_t room)
{
    const struct evcnt_sysctl *record = NULL;
    size_t needed = 0, size = room, part = 64;
    unsigned interrupts = 0;

    SELFTEST_EQUAL(sysctlbyname("kern.evcnt.1.0", NULL, &needed, NULL, 0), 0);
    SELFTEST_EQUAL(sysctlbyname("kern.evcnt.1.0", buffer, &size, NULL, 0), 0);
    SELFTEST_EQUAL(needed, size + 1024);
    while ((record = evcnt_export_next(buffer, size, record)) != NULL) {
        SELFTEST_EQUAL(record->ev_type, 1);
        interrupts++;
    }
    SELFTEST_CHECK(interrupts > 4);
    SELFTEST_EQUAL(sysctlbyname("kern.evcnt.1.0", buffer, &part, NULL, 0), -ENOMEM);
    SELFTEST_EQUAL(part, size);
    return 0;
}

static int check_evcnt(void)
{
    void *buffer = kmem_alloc(BUFFER_BYTES);
    int result = buffer != NULL ? check_records(buffer, BUFFER_BYTES) : selftest_fail("no memory");

    kmem_free(buffer);
    return result;
}

SELFTEST(sysctl_sizes, "sysctl-sizes", "sysctlbyname: sizes, parts of values, refusals")
{
    int result = check_sizes();

    if (result == 0)
        result = check_refusals();
    if (result == 0)
        result = check_write();
    return result != 0 ? result : check_evcnt();
}
