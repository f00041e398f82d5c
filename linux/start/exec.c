/* SPDX-License-Identifier: BSD-2-Clause */
/* execve. */
#include "linux/start/exec.h"
#include <arch/copy.h>
#include <arch/user.h>
#include "fs/file/file.h"
#include "fs/file/file_table.h"
#include "fs/file/path.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/process/process_count.h"
#include "kernel/thread/user.h"
#include "kernel/vm/vm.h"
#include "lib/string.h"
#include "linux/program/program_part.h"
#include "linux/program/program_private.h"
#include "linux/program/machine.h"

#define HEAD_SIZE     256u
#define SCRIPTS_MAX   5
#define STACK_FIRST   (128ul << 10) /* there from the beginning, besides the strings */
#define STACK_AT_MOST (6ul << 20)   /* for strings, whatever the limit */

/* One execve. */
struct exec {
    struct vnode *given; /* instead of a path; or NULL */
    struct file *file;
    char *full;   /* its path */
    bool running; /* its vnode_run_begin has been */
    struct file_stat stat;
    struct exec_strings *strings;
    struct elf_image image;
    struct vm *vm;
    char head[HEAD_SIZE];
    size_t head_size;
};

/* The file that PATH names, executable to who asks. */
static int exec_open(struct exec *exec, const struct path_walk *walk, const char *path)
{
    struct vnode *node = exec->given;
    long got;
    int error = node ? 0 : path_lookup(walk, path, PATH_FOLLOW, &node);

    if (exec->given)
        vnode_hold(node);
    if (error != 0)
        return error;
    if (node->type != S_IFREG)
        error = -EACCES;
    if (error == 0)
        error = vnode_permit(node, &walk->who, PERMIT_EXECUTE);
    /* By its name, so that it is known; who may not read it may execute it all the same. */
    if (error == 0 && (exec->given || fs_open(walk, path, O_RDONLY, 0, &exec->file) != 0))
        error = fs_open_vnode(node, O_RDONLY, &exec->file);
    vnode_release(node);
    if (error != 0)
        return error;
    error = vnode_run_begin(exec->file->vnode);
    if (error != 0)
        return error;
    exec->running = true;
    error = file_stat(exec->file, &exec->stat);
    got = error == 0 ? file_read_kernel(exec->file, exec->head, HEAD_SIZE, 0) : error;
    if (got < 0)
        return (int)got;
    exec->head_size = (size_t)got;
    return 0;
}

static void exec_close(struct exec *exec)
{
    if (exec->running)
        vnode_run_end(exec->file->vnode);
    if (exec->file)
        file_release(exec->file);
    exec->file = NULL;
    exec->running = false;
}

/* The first line of a script: interpreter and, perhaps, one argument, cut out of HEAD. */
static int exec_script_words(struct exec *exec, char **interpreter, char **argument)
{
    char *line = exec->head + 2, *end = exec->head + exec->head_size;
    char *newline = line;

    while (newline < end && *newline != '\n')
        newline++;
    if (newline == end && exec->head_size == HEAD_SIZE)
        return -ENOEXEC;
    while (newline > line && (newline[-1] == ' ' || newline[-1] == '\t' || newline[-1] == '\r'))
        newline--;
    if (newline == exec->head + HEAD_SIZE)
        return -ENOEXEC;
    *newline = '\0';
    while (*line == ' ' || *line == '\t')
        line++;
    *interpreter = line;
    while (*line && *line != ' ' && *line != '\t')
        line++;
    *argument = NULL;
    if (*line) {
        *line++ = '\0';
        while (*line == ' ' || *line == '\t')
            line++;
        *argument = line;
    }
    return **interpreter ? 0 : -ENOEXEC;
}

/* "#! interpreter argument": the interpreter runs instead, with the script's path. *PATH is the
 * interpreter's then. */
static int exec_script(struct exec *exec, char *path)
{
    struct exec_strings *old = exec->strings, new = {.limit = old->limit};
    char *interpreter, *argument;
    size_t first = strnlen(old->text, old->used) + 1;
    int error = exec_script_words(exec, &interpreter, &argument);

    if (error == 0)
        error = exec_string_add(&new, interpreter);
    if (error == 0 && argument)
        error = exec_string_add(&new, argument);
    if (error == 0)
        error = exec_string_add(&new, path);
    if (error == 0) {
        new.arguments = 2 + (argument != NULL);
        if (old->arguments == 0)
            first = 0;
        for (size_t at = first; error == 0 && at < old->used; at += strlen(old->text + at) + 1) {
            if (at == old->arguments_used)
                new.arguments_used = new.used;
            error = exec_string_add(&new, old->text + at);
        }
        if (old->arguments_used == old->used)
            new.arguments_used = new.used;
        new.arguments += old->arguments > 0 ? old->arguments - 1 : 0;
        new.variables = old->variables;
    }
    if (error != 0) {
        exec_strings_free(&new);
        return error;
    }
    strlcpy(path, interpreter, PATH_LENGTH);
    exec_strings_free(old);
    *old = new;
    return 0;
}

/* Other threads end; the caller is the first one from now on. -EAGAIN: it has to end itself. */
static int exec_alone(struct task *task)
{
    struct program *program = task->program;
    uintptr_t state = spinlock_acquire(&program_lock);
    struct task *other;

    if (program->replacer || process_ending()) {
        spinlock_release(&program_lock, state);
        return -RESTART_CALL;
    }
    if (program->task_count > 1) {
        program->replacer = task;
        TAILQ_FOREACH (other, &program->tasks, in_program)
            if (other != task && other->thread)
                thread_interrupt(other->thread);
        wait_wake_all(&program->stop_waiters);
        while (program->task_count > 1 && !process_ending())
            wait_sleep(&program->task_waiters, &program_lock, &state, WAIT_FOREVER);
        program->replacer = NULL;
    }
    if (task->id != program->id && !process_ending())
        task_rename(task, program->id);
    spinlock_release(&program_lock, state);
    return process_ending() ? -RESTART_CALL : 0;
}

static unsigned exec_stack_rights(const struct elf_image *image)
{
    return ASPACE_READ | ASPACE_WRITE | (image->executes_stack ? ASPACE_EXECUTE : 0);
}

/* A new address space with the executable and a stack. */
static int exec_map(struct exec *exec, const struct program *program)
{
    uint64_t stack = program->limits[RLIMIT_STACK].now;
    size_t size = STACK_FIRST + ((exec->strings->used + 4095) & ~4095ul);
    uintptr_t at = EXEC_STACK_TOP - size;
    int error = vm_create(&exec->vm);

    if (error != 0)
        return error;
    exec->vm->limits =
        (struct vm_limits){program->limits[RLIMIT_AS].now, program->limits[RLIMIT_DATA].now, stack};
    error = elf_map(exec->file, exec->head, exec->head_size, exec->vm, &exec->image);
    if (error == 0)
        error = vm_map(exec->vm, &at, size, exec_stack_rights(&exec->image),
                       VM_FIXED | VM_GROWS_DOWN, NULL, 0);
    if (error == 0)
        vm_brk_begin(exec->vm, exec->image.end);
    else
        vm_release(exec->vm);
    return error;
}

/* Of what was: handlers, files that close on exec; its parts come later (struct program_part). */
static void exec_forget(struct exec *exec, struct task *task)
{
    struct program *program = task->program;
    uintptr_t state = spinlock_acquire(&program_lock);

    for (unsigned i = 1; i <= ABI_SIGNALS; i++) {
        uint64_t handler = program->actions->of[i].handler;

        program->actions->of[i] =
            (struct signal_action){.handler = handler == SIG_IGN ? SIG_IGN : SIG_DFL};
    }
    task->alternate = (struct abi_stack){.flags = SS_DISABLE};
    task->clear_tid = task->robust_list = 0;
    program->has_executed = true;
    program->exit_signal = SIGCHLD;
    program->keep_capabilities = 0;
    program->barriers = false;
    if (exec->stat.mode & S_ISUID && !program->no_new_privileges)
        program->euid = exec->stat.uid;
    if (exec->stat.mode & S_ISGID && !program->no_new_privileges)
        program->egid = exec->stat.gid;
    program->suid = program->fsuid = program->euid;
    program->sgid = program->fsgid = program->egid;
    spinlock_release(&program_lock, state);
    file_table_exec(program->files);
}

/* From the root; kmem, or NULL. */
static char *exec_full_path(struct file *file)
{
    struct vnode *root = fs_root();
    char *full = kmem_alloc(PATH_LENGTH), *copy = NULL;
    long size = root && full ? file_path(file, root, full, PATH_LENGTH) : -ENOMEM;

    if (size > 0)
        copy = kmem_alloc((size_t)size);
    if (copy)
        memcpy(copy, full, (size_t)size);
    kmem_free(full);
    vnode_release(root);
    return copy;
}

/* It is known by PATH's last name, and FULL, which becomes its own. */
static void exec_name(struct program *program, const char *path, char *full)
{
    const char *slash = strrchr(path, '/');
    char *old = program->path;
    uintptr_t state = spinlock_acquire(&program_lock);

    program->path = full;
    spinlock_release(&program_lock, state);
    kmem_free(old);
    strlcpy(program->process->name, slash ? slash + 1 : path, 16);
    strlcpy(thread_current()->name, program->process->name, sizeof thread_current()->name);
}

static int exec_zero_bss(const struct elf_image *image)
{
    static const char zeroes[4096];

    return image->bss_size > 0 ? copyout(zeroes, (void *)image->bss, image->bss_size) : 0;
}

static int exec_map_trampoline(struct exec *exec, struct program *program)
{
    size_t size;
    const void *code = exec_trampoline(&size);
    uintptr_t at = 0;
    int error;

    if (!code)
        return 0;
    error = vm_map(exec->vm, &at, 4096, ASPACE_READ | ASPACE_WRITE, 0, NULL, 0);
    if (error == 0)
        error = copyout(code, (void *)at, size);
    if (error == 0)
        error = vm_protect(exec->vm, at, 4096, ASPACE_READ | ASPACE_EXECUTE);
    program->trampoline = at;
    return error;
}

/* Too late for an error: the program ends, once the call has given back what it holds. */
static int exec_end(struct program *program, int signal)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    program_end(program, signal);
    spinlock_release(&program_lock, state);
    return -RESTART_CALL;
}

/* There is no way back from here on. 0, or exec_end's. */
static int exec_replace(struct exec *exec, struct task *task, const char *path,
                        struct trap_frame *frame)
{
    struct program *program = task->program;
    uint64_t sp;

    PROGRAM_PARTS_TELL(leave, task); /* while its memory is there */
    vm_attach(program->process, exec->vm);
    task_vfork_done(task);
    exec_forget(exec, task);
    exec_name(program, path, exec->full);
    if (thread_user_prepare(&task->owner) != 0)
        return exec_end(program, SIGKILL);
    sp = exec_stack(&exec->image, exec->strings, program, path);
    if (sp == 0 || exec_zero_bss(&exec->image) != 0 || exec_map_trampoline(exec, program) != 0)
        return exec_end(program, SIGSEGV);
    exec_frame(frame, exec->image.entry, sp);
    evcnt_incr(&process_event[PROCESS_EXECS]);
    return 0;
}

int exec_run(const struct path_walk *walk, char *path, struct vnode *given,
             struct exec_strings *strings, struct trap_frame *frame)
{
    struct exec exec = {.strings = strings, .given = given};
    struct task *task = task_current();
    int error = -ELOOP;

    for (int depth = 0; depth < SCRIPTS_MAX; depth++) {
        error = exec_open(&exec, walk, path);
        if (error != 0 || exec.head_size < 2 || memcmp(exec.head, "#!", 2) != 0)
            break;
        error = exec_script(&exec, path);
        exec_close(&exec);
        exec.given = NULL; /* the interpreter goes by its name */
        if (error != 0)
            break;
        error = -ELOOP;
    }
    if (error == 0)
        error = exec_map(&exec, task->program);
    if (error == 0) {
        error = exec_alone(task);
        if (error != 0)
            vm_release(exec.vm);
    }
    if (error == 0) {
        exec.full = exec_full_path(exec.file);
        program_set_executable(task->program, exec.file->vnode);
        exec.running = false;
    }
    exec_close(&exec);
    if (error == 0)
        error = exec_replace(&exec, task, path, frame);
    if (error == 0)
        PROGRAM_PARTS_TELL(exec, task);
    exec_strings_free(strings);
    return error;
}
