/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc: its root, and files that are no process's, under any path. Like those of processes they
 * are made when somebody looks for them, and go when nobody has them any more.
 */
#include "fs/proc/proc.h"
#include "fs/proc/proc_private.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "kernel/process/process.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"

#define FIRST 2 /* cookies of "." and ".." are below */

struct proc_entry {
    struct vnode vnode;
    struct proc_entry *above;     /* a reference; the root's is itself */
    const struct proc_file *file; /* of a directory: the first that is below it */
    size_t length;                /* of its path, how much of that file's name; 0: the root */
    uint64_t made;
};

static struct spinlock lock = SPINLOCK_INITIALIZER("proc files");
static int proc_make_self(struct proc_text *text, struct process *process, void *argument);
static struct proc_file self = {
    .name = "self", .mode = S_IFLNK | 0777, .make = proc_make_self, .number = 1};
/* As they came, so that numbers stay; that is the first, for which nearly every program asks. */
static struct proc_file *const files = &self, *last = &self;
static uint32_t root_directories; /* kept, since every path through the root asks for its stat */
static SHARED_BSS struct proc_entry root;
static const struct vnode_ops proc_ops;
static const struct file_ops proc_directory;

static struct proc_entry *proc_entry(struct vnode *vnode)
{
    return (struct proc_entry *)vnode;
}

static const struct proc_file *proc_next(const struct proc_file *file)
{
    return file == NULL ? files : __atomic_load_n(&file->next, __ATOMIC_ACQUIRE);
}

/* What FILE is called in DIRECTORY, or the directory that it is below; length 0: it lies elsewhere.
 */
static struct name proc_component(const struct proc_entry *directory, const struct proc_file *file)
{
    size_t length = directory->length;
    struct name name = {file->name, 0};

    if (length > 0) {
        if (strncmp(file->name, directory->file->name, length) != 0 || file->name[length] != '/')
            return name;
        name.text += length + 1;
    }
    while (name.text[name.length] != '\0' && name.text[name.length] != '/')
        name.length++;
    return name;
}

static bool proc_is_directory(struct name component)
{
    return component.text[component.length] == '/';
}

static bool proc_name_equal(struct name a, struct name b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* The first that is NAME in DIRECTORY, or below that; or NULL. */
static const struct proc_file *proc_find(const struct proc_entry *directory, struct name name)
{
    const struct proc_file *file = NULL;

    while ((file = proc_next(file)) != NULL &&
           !proc_name_equal(proc_component(directory, file), name))
        continue;
    return file;
}

/* Whether FILE is the first in a directory of DIRECTORY. Of those before it the last one is called
 * BEFORE there: mostly neighbours came together. */
static bool proc_is_another(const struct proc_entry *directory, const struct proc_file *file,
                            struct name before)
{
    struct name component = proc_component(directory, file);
    const struct proc_file *first;

    if (component.length == 0 || !proc_is_directory(component) ||
        proc_name_equal(component, before))
        return false;
    first = proc_find(directory, component);
    return first == NULL || first == file;
}

static uint32_t proc_directories(const struct proc_entry *directory)
{
    const struct proc_file *file = NULL;
    struct name before = {"", 0};
    uint32_t count = 0;

    while ((file = proc_next(file)) != NULL) {
        count += proc_is_another(directory, file, before);
        before = proc_component(directory, file);
    }
    return count;
}

void proc_register(struct proc_file *file)
{
    uintptr_t state = spinlock_acquire(&lock);

    root_directories += proc_is_another(&root, file, proc_component(&root, last));
    file->number = last->number + 1;
    file->next = NULL;
    __atomic_store_n(&last->next, file, __ATOMIC_RELEASE); /* readers take no lock */
    last = file;
    spinlock_release(&lock, state);
}

static uint64_t proc_number(const struct proc_file *file, size_t length)
{
    return length == 0 ? 1 : (uint64_t)file->number << 8 | length;
}

static int proc_lookup(struct vnode *vnode, struct name name, struct vnode **out)
{
    struct proc_entry *directory = proc_entry(vnode), *entry;
    const struct proc_file *file;
    struct name component;
    int error = vnode->type == S_IFDIR ? -ENOENT : -ENOTDIR;

    if (directory == &root)
        error = proc_process_lookup(name, out);
    if (error != -ENOENT)
        return error;
    file = proc_find(directory, name);
    if (file == NULL)
        return -ENOENT;
    entry = kmem_zalloc(sizeof *entry);
    if (entry == NULL)
        return -ENOMEM;
    component = proc_component(directory, file);
    vnode_init(&entry->vnode, &proc_ops,
               proc_is_directory(component) ? S_IFDIR
               : (file->mode & S_IFMT) == 0 ? S_IFREG
                                            : file->mode & S_IFMT);
    entry->vnode.file_ops = proc_is_directory(component) ? &proc_directory : &proc_file_ops;
    entry->vnode.device = vnode->device;
    entry->above = directory;
    vnode_hold(vnode);
    entry->file = file;
    entry->length = (size_t)(component.text - file->name) + component.length;
    entry->made = clock_wall();
    *out = &entry->vnode;
    return 0;
}

static struct vnode *proc_destroy(struct vnode *vnode)
{
    struct proc_entry *entry = proc_entry(vnode), *above = entry->above;

    kmem_free(entry);
    return &above->vnode;
}

static struct vnode *proc_parent(struct vnode *vnode)
{
    return vnode_hold(&proc_entry(vnode)->above->vnode);
}

static long proc_name_of(struct vnode *vnode, char *buffer, size_t size)
{
    const struct proc_entry *entry = proc_entry(vnode);
    struct name name;

    if (entry == &root)
        return -ENOENT;
    name = proc_component(entry->above, entry->file);
    if (name.length >= size)
        return -ERANGE;
    memcpy(buffer, name.text, name.length);
    buffer[name.length] = '\0';
    return (long)name.length;
}

static int proc_entry_stat(struct vnode *vnode, struct file_stat *out)
{
    const struct proc_entry *entry = proc_entry(vnode);
    bool directory = vnode->type == S_IFDIR;

    out->number = proc_number(entry->file, entry->length);
    out->mode = directory ? S_IFDIR | 0555 : vnode->type | (entry->file->mode & 07777);
    if (directory)
        out->links = 2 + (entry == &root ? root_directories : proc_directories(entry));
    out->accessed = out->modified = out->changed = entry->made;
    return 0;
}

static int proc_open(struct vnode *vnode, struct file *file)
{
    return vnode->type == S_IFREG ? proc_file_open(file, proc_entry(vnode)->file, NULL) : 0;
}

static long proc_readlink(struct vnode *vnode, char *buffer, size_t size)
{
    if (vnode->type != S_IFLNK)
        return -EINVAL;
    return proc_file_readlink(proc_entry(vnode)->file, NULL, buffer, size);
}

static int proc_statfs(struct vnode *vnode, struct fs_stat *out)
{
    (void)vnode;
    *out = (struct fs_stat){
        .type = 0x9fa0 /* PROC_SUPER_MAGIC */, .block_size = PAGE_SIZE, .name_max = NAME_LENGTH};
    return 0;
}

static const struct vnode_ops proc_ops = {
    .lookup = proc_lookup,
    .parent = proc_parent,
    .name_of = proc_name_of,
    .readlink = proc_readlink,
    .stat = proc_entry_stat,
    .open = proc_open,
    .statfs = proc_statfs,
    .destroy = proc_destroy,
};

/* Behind "." and ".." files follow in the order of the list, and behind them the root's processes.
 */
static int proc_readdir(struct file *file, uint64_t *cookie, directory_emit *emit, void *argument)
{
    const struct proc_entry *directory = proc_entry(file->vnode), *above = directory->above;
    const struct proc_file *each = NULL;
    uint64_t at = FIRST;

    for (; *cookie < FIRST; ++*cookie) {
        const struct proc_entry *of = *cookie == 0 ? directory : above;

        if (!emit(argument, "..", *cookie + 1, proc_number(of->file, of->length), S_IFDIR,
                  *cookie + 1))
            return 0;
    }
    for (; *cookie < PROC_PROCESSES && (each = proc_next(each)) != NULL; at++) {
        struct name name = proc_component(directory, each);
        uint32_t type = proc_is_directory(name) ? S_IFDIR : each->mode & S_IFMT;
        size_t length = (size_t)(name.text - each->name) + name.length;

        if (at < *cookie || name.length == 0 ||
            (proc_is_directory(name) && proc_find(directory, name) != each))
            continue;
        if (!emit(argument, name.text, name.length, proc_number(each, length),
                  type == 0 ? S_IFREG : type, at + 1))
            return 0;
        *cookie = at + 1;
    }
    return directory == &root ? proc_process_readdir(cookie, emit, argument) : 0;
}

static const struct file_ops proc_directory = {.readdir = proc_readdir, .seekable = true};

static int proc_make_self(struct proc_text *text, struct process *process, void *argument)
{
    (void)process;
    (void)argument;
    proc_printf(text, "%u", process_current()->id);
    return 0;
}

struct vnode *proc_mount(uint64_t device)
{
    vnode_init(&root.vnode, &proc_ops, S_IFDIR);
    root.vnode.file_ops = &proc_directory;
    root.vnode.device = device;
    root.above = &root;
    root.made = clock_wall();
    proc_processes_boot(&root.vnode);
    proc_add_system();
    proc_add_stat();
    return &root.vnode;
}
