/* SPDX-License-Identifier: BSD-2-Clause */
/* This machine's name: see host_name.h. */
#include "kernel/export/host_name.h"
#include "kernel/lock/spinlock.h"
#include "lib/section.h"
#include "lib/string.h"

static SHARED_DATA char host_name[HOST_NAME] = "quipu";
static struct spinlock host_name_lock = SPINLOCK_INITIALIZER("host name");

void host_name_get(char *buffer, size_t size)
{
    uintptr_t state = spinlock_acquire(&host_name_lock);

    strlcpy(buffer, host_name, size);
    spinlock_release(&host_name_lock, state);
}

void host_name_set(const char *name, size_t size)
{
    uintptr_t state = spinlock_acquire(&host_name_lock);

    memcpy(host_name, name, size);
    host_name[size] = '\0';
    spinlock_release(&host_name_lock, state);
}
