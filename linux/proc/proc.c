/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID as far as programs are told of themselves and of others: see proc(5). */
#include "linux/proc/proc.h"
#include "fs/file/file.h"
#include "fs/file/file_table.h"
#include "fs/file/path.h"
#include "fs/proc/proc.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/time/clock.h"
#include "kernel/vm/vm.h"
#include "lib/section.h"
#include "lib/string.h"
#include "linux/system/host.h"
#include "linux/hwperf/hwperf.h"
#include "linux/program/program_facts.h"
#include "linux/program/program_private.h"

static int proc_io(struct proc_text *text, struct process *process, void *unused)
{
    struct program_facts f;

    (void)unused;
    if (!program_facts_get(process, &f))
        return -ESRCH;
    proc_printf(text, "rchar: %lu\nwchar: %lu\nsyscr: %lu\nsyscw: %lu\n",
                (unsigned long)f.usage.counts.read_bytes,
                (unsigned long)f.usage.counts.written_bytes, (unsigned long)f.usage.counts.reads,
                (unsigned long)f.usage.counts.writes);
    return 0;
}

static int proc_sizes(struct proc_text *text, struct process *process, void *unused)
{
    struct program_facts f;

    (void)unused;
    if (!program_facts_get(process, &f))
        return -ESRCH;
    proc_printf(text, "%lu %lu 0 0 0 %lu 0\n", (unsigned long)f.sizes.bytes / 4096,
                (unsigned long)f.sizes.resident, (unsigned long)f.sizes.bytes / 4096);
    return 0;
}

/* Where it is, or (ROOT) where its paths begin. */
static int proc_base(struct proc_text *text, struct process *process, void *root)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    const struct program *program = program_find(process->id);
    struct path_base *base = program && program->base ? path_base_hold(program->base) : NULL;
    struct vnode *top = NULL, *here = NULL, *bottom;
    long length = -ENOENT;
    char *path;

    spinlock_release(&program_lock, state);
    if (!base)
        return -ENOENT;
    path_base_get(base, &top, &here);
    bottom = fs_root();
    path = kmem_alloc(PATH_LENGTH);
    if (path && bottom)
        length = path_of_directory(root ? top : here, bottom, path, PATH_LENGTH);
    if (length > 0)
        proc_write(text, path, (size_t)length - 1);
    kmem_free(path);
    vnode_release(bottom);
    vnode_release(top);
    vnode_release(here);
    path_base_release(base);
    return length > 0 ? 0 : -ENOENT;
}

/* Whether the reader may look into PROGRAM: with the lock. */
static bool proc_may_look(const struct program *program)
{
    const struct task *task = task_current_or_null();

    return !task || task->program == program || task->program->euid == 0 ||
           (task->program->euid == program->uid && program->uid == program->euid &&
            program->dumpable);
}

bool proc_is_visible(const struct process *process)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    const struct program *program = program_find(process->id);
    bool visible = program && program->process == process && proc_may_look(program);

    spinlock_release(&program_lock, state);
    return visible;
}

static int proc_maps(struct proc_text *text, struct process *process, void *unused)
{
    struct vm_mapping_info *info;
    struct vm *vm;

    (void)unused;
    if (!proc_is_visible(process))
        return -EACCES;
    vm = vm_hold_of(process);
    info = vm ? kmem_alloc(sizeof *info) : NULL;
    if (vm && !info)
        vm_release(vm);
    if (!info)
        return vm ? -ENOMEM : 0;
    info->end = 0;
    while (vm_mapping_next(vm, info->end, info)) {
        proc_printf(text, "%08lx-%08lx %c%c%c%c %08lx %02x:%02x %lu", (unsigned long)info->start,
                    (unsigned long)info->end, info->rights & ASPACE_READ ? 'r' : '-',
                    info->rights & ASPACE_WRITE ? 'w' : '-',
                    info->rights & ASPACE_EXECUTE ? 'x' : '-', info->flags & VM_SHARED ? 's' : 'p',
                    (unsigned long)info->offset, (unsigned)(info->name.device >> 8 & 0xfff),
                    (unsigned)(info->name.device & 0xff), (unsigned long)info->name.inode);
        if (info->is_heap || info->flags & VM_GROWS_DOWN || info->name.name[0])
            proc_printf(text, "  %s",
                        info->is_heap                 ? "[heap]"
                        : info->flags & VM_GROWS_DOWN ? "[stack]"
                                                      : info->name.name);
        proc_printf(text, "\n");
    }
    vm_release(vm);
    kmem_free(info);
    return 0;
}

static int proc_name(struct proc_text *text, struct process *process, void *unused)
{
    (void)unused;
    proc_printf(text, "%s\n", process->name);
    return 0;
}

static int proc_executable(struct proc_text *text, struct process *process, void *unused)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    const struct program *program = program_find(process->id);
    size_t size = program && program->path ? strlen(program->path) + 1 : 0;
    char *copy = NULL;

    (void)unused;
    spinlock_release(&program_lock, state);
    if (size > 0)
        copy = kmem_zalloc(size);
    if (!copy)
        return -ENOENT;
    state = spinlock_acquire(&program_lock);
    program = program_find(process->id);
    if (program && program->path)
        strlcpy(copy, program->path, size);
    spinlock_release(&program_lock, state);
    proc_write(text, copy, strlen(copy));
    kmem_free(copy);
    return 0;
}

static int proc_descriptors(struct process *process, struct file_table **out)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct program *program = program_find(process->id);
    int error = -ENOENT;

    if (program && program->process == process && program->files) {
        error = proc_may_look(program) ? 0 : -EACCES;
        if (error == 0)
            *out = file_table_hold(program->files);
    }
    spinlock_release(&program_lock, state);
    return error;
}

static void proc_owner(struct process *process, uint32_t *uid, uint32_t *gid)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    const struct program *program = program_find(process->id);

    *uid = program ? program->euid : 0;
    *gid = program ? program->egid : 0;
    spinlock_release(&program_lock, state);
}

static char proc_of_root; /* marks the link to the root */

static SHARED_DATA struct proc_file proc_files[] = {
    {.name = "io", .mode = 0400, .make = proc_io},
    {.name = "maps", .mode = 0444, .make = proc_maps},
    {.name = "comm", .mode = 0444, .make = proc_name},
    {.name = "exe", .mode = S_IFLNK | 0777, .make = proc_executable},
    {.name = "statm", .mode = 0444, .make = proc_sizes},
    {.name = "cwd", .mode = S_IFLNK | 0777, .make = proc_base},
    {.name = "root", .mode = S_IFLNK | 0777, .make = proc_base, .argument = &proc_of_root},
    {.name = "fd", .mode = S_IFDIR | 0500},
};

void proc_register_programs(void)
{
    static bool done;

    if (done)
        return;
    done = true;
    for (unsigned i = 0; i < sizeof proc_files / sizeof *proc_files; i++)
        (void)proc_register_process(&proc_files[i]);
    proc_register_status();
    proc_register_memory();
    host_register();
    proc_set_owner(proc_owner);
    proc_set_files(proc_descriptors);
    proc_set_ioctl(hwperf_ioctl);
}
