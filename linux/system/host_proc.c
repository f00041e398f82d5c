/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/sys, as far as there is something to tell: names, limits, identifiers. See proc(5). */
#include "fs/dev/dev.h"
#include "fs/file/file_table.h"
#include "fs/pipe/pipe.h"
#include "fs/proc/proc.h"
#include "kernel/export/host_name.h"
#include "kernel/process/process.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"
#include "linux/system/host.h"
#include "linux/ipc/ipc.h"
#include "linux/ipc/mqueue.h"
#include "linux/program/program_private.h"

#define UUID 16u

static int host_proc_name(struct proc_text *text, struct process *process, void *which)
{
    struct abi_utsname names;

    (void)process;
    host_names(&names);
    proc_printf(text, "%s\n", (const char *)&names + (uintptr_t)which);
    return 0;
}

/* Up to the end of a line. */
static int host_proc_set_name(const char *text, size_t size, struct process *process, void *which)
{
    const char *end = strchr(text, '\n');
    size_t length = end ? (size_t)(end - text) : size;

    (void)process;
    if (length > HOST_MOST)
        length = HOST_MOST;
    if ((uintptr_t)which == __builtin_offsetof(struct abi_utsname, nodename))
        host_name_set(text, length);
    else
        host_set_domain(text, length);
    return 0;
}

static int host_proc_number(struct proc_text *text, struct process *process, void *number)
{
    (void)process;
    proc_printf(text, "%lu\n", (unsigned long)(uintptr_t)number);
    return 0;
}

static int host_proc_uuid(struct proc_text *text, struct process *process, void *kept)
{
    static uint8_t since_boot[UUID];
    static bool made;
    uint8_t bytes[UUID];

    (void)process;
    random_bytes(bytes, sizeof bytes);
    if (kept && !made) {
        memcpy(since_boot, bytes, UUID);
        made = true;
    }
    if (kept)
        memcpy(bytes, since_boot, UUID);
    bytes[6] = (uint8_t)(0x40 | (bytes[6] & 0x0f)); /* RFC 4122: random */
    bytes[8] = (uint8_t)(0x80 | (bytes[8] & 0x3f));
    for (unsigned i = 0; i < UUID; i++)
        proc_printf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
    proc_printf(text, "\n");
    return 0;
}

#define HOST_FIELD(field) (void *)__builtin_offsetof(struct abi_utsname, field)
#define HOST_NAMED(path, field)                                                                    \
    {.name = "sys/kernel/" path,                                                                   \
     .mode = 0444,                                                                                 \
     .make = host_proc_name,                                                                       \
     .argument = HOST_FIELD(field)}
#define HOST_NAMED_SET(path, field)                                                                \
    {.name = "sys/kernel/" path,                                                                   \
     .mode = 0644,                                                                                 \
     .make = host_proc_name,                                                                       \
     .store = host_proc_set_name,                                                                  \
     .argument = HOST_FIELD(field)}
#define HOST_NUMBER(path, number)                                                                  \
    {.name = "sys/" path,                                                                          \
     .mode = 0444,                                                                                 \
     .make = host_proc_number,                                                                     \
     .argument = (void *)(uintptr_t)(number)}

static SHARED_DATA struct proc_file host_files[] = {
    HOST_NAMED("ostype", sysname),
    HOST_NAMED("osrelease", release),
    HOST_NAMED("version", version),
    HOST_NAMED_SET("hostname", nodename),
    HOST_NAMED_SET("domainname", domainname),
    HOST_NUMBER("kernel/pid_max", PROCESS_ID_MAX + 1),
    HOST_NUMBER("kernel/ngroups_max", PROGRAM_GROUPS_MAX),
    HOST_NUMBER("kernel/cap_last_cap", 40),
    HOST_NUMBER("kernel/overflowuid", 65534),
    HOST_NUMBER("kernel/overflowgid", 65534),
    HOST_NUMBER("kernel/randomize_va_space", 0),
    HOST_NUMBER("kernel/perf_event_paranoid", 2),
    HOST_NUMBER("kernel/random/entropy_avail", 256),
    HOST_NUMBER("kernel/random/poolsize", 256),
    HOST_NUMBER("kernel/shmmax", IPC_MEMORY_MOST),
    HOST_NUMBER("kernel/shmmni", IPC_MOST),
    HOST_NUMBER("kernel/msgmax", IPC_MESSAGE_MOST),
    HOST_NUMBER("kernel/msgmnb", IPC_QUEUE_BYTES),
    HOST_NUMBER("kernel/msgmni", IPC_MOST),
    HOST_NUMBER("vm/overcommit_memory", 1),
    HOST_NUMBER("fs/pipe-max-size", PIPE_CAPACITY_MAX),
    HOST_NUMBER("fs/nr_open", FILE_TABLE_MAX),
    {.name = "sys/kernel/random/uuid", .mode = 0444, .make = host_proc_uuid},
    {.name = "sys/kernel/random/boot_id",
     .mode = 0444,
     .make = host_proc_uuid,
     .argument = host_files},
};

void host_register(void)
{
    for (unsigned i = 0; i < sizeof host_files / sizeof *host_files; i++)
        proc_register(&host_files[i]);
}
