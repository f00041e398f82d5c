/* SPDX-License-Identifier: BSD-2-Clause */
/* execve. */
#include "linux/exec.h"
#include <arch/copy.h>
#include <arch/user.h>
#include "fs/dev.h"
#include "fs/file.h"
#include "fs/file_table.h"
#include "fs/path.h"
#include "kernel/memory/kmem.h"
#include "kernel/process/process.h"
#include "kernel/thread/user.h"
#include "kernel/vm/vm.h"
#include "lib/string.h"
#include "linux/perf.h"
#include "linux/program_private.h"

#define HEAD_SIZE     256u
#define SCRIPTS_MAX   5
#define STACK_TOP     VM_TOP
#define STACK_FIRST   (128ul << 10) /* there from the beginning, besides the strings */
#define RANDOM_SIZE   16u
#define VECTOR_MAX    40u
#define CLOCK_TICKS   100u
#define STACK_AT_MOST (6ul << 20) /* for strings, whatever the limit */

/* Auxiliary vector (getauxval(3)). */
enum {
    AT_NULL,
    AT_PHDR = 3,
    AT_PHENT,
    AT_PHNUM,
    AT_PAGESZ,
    AT_BASE,
    AT_FLAGS,
    AT_ENTRY,
    AT_UID = 11,
    AT_EUID,
    AT_GID,
    AT_EGID,
    AT_PLATFORM,
    AT_HWCAP,
    AT_CLKTCK,
    AT_SECURE = 23,
    AT_RANDOM = 25,
    AT_EXECFN = 31,
};

/* One execve. */
struct exec {
    struct file *file;
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
    struct vnode *node;
    long got;
    int error = path_lookup(walk, path, PATH_FOLLOW, &node);

    if (error != 0)
        return error;
    if (node->type != S_IFREG)
        error = -EACCES;
    if (error == 0)
        error = vnode_permit(node, &walk->who, PERMIT_EXECUTE);
    /* By its name, so that it is known; who may not read it may execute it all the same. */
    if (error == 0 && fs_open(walk, path, O_RDONLY, 0, &exec->file) != 0)
        error = fs_open_vnode(node, O_RDONLY, &exec->file);
    vnode_release(node);
    if (error != 0)
        return error;
    error = file_stat(exec->file, &exec->stat);
    got = error == 0 ? file_read_kernel(exec->file, exec->head, HEAD_SIZE, 0) : error;
    if (got < 0)
        return (int)got;
    exec->head_size = (size_t)got;
    return 0;
}

static void exec_close(struct exec *exec)
{
    if (exec->file)
        file_release(exec->file);
    exec->file = NULL;
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

/* A new address space with the executable and a stack. */
static int exec_map(struct exec *exec, const struct program *program)
{
    uint64_t stack = program->limits[RLIMIT_STACK].now;
    size_t size = STACK_FIRST + ((exec->strings->used + 4095) & ~4095ul);
    uintptr_t at = STACK_TOP - size;
    int error = vm_create(&exec->vm);

    if (error != 0)
        return error;
    exec->vm->limits =
        (struct vm_limits){program->limits[RLIMIT_AS].now, program->limits[RLIMIT_DATA].now, stack};
    error = elf_map(exec->file, exec->head, exec->head_size, exec->vm, &exec->image);
    if (error == 0)
        error = vm_map(exec->vm, &at, size, ASPACE_READ | ASPACE_WRITE, VM_FIXED | VM_GROWS_DOWN,
                       NULL, 0);
    if (error == 0)
        vm_brk_begin(exec->vm, exec->image.end);
    else
        vm_release(exec->vm);
    return error;
}

/* Of what was: handlers, timers, files that close on exec. */
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
    if (exec->stat.mode & S_ISUID)
        program->euid = exec->stat.uid;
    if (exec->stat.mode & S_ISGID)
        program->egid = exec->stat.gid;
    program->suid = program->fsuid = program->euid;
    program->sgid = program->fsgid = program->egid;
    spinlock_release(&program_lock, state);
    timers_exec(program);
    file_table_exec(program->files);
}

static void exec_name(struct program *program, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t size = strlen(path) + 1;
    char *copy = kmem_alloc(size);

    if (copy)
        memcpy(copy, path, size);
    kmem_free(program->path);
    program->path = copy;
    strlcpy(program->process->name, slash ? slash + 1 : path, 16);
    strlcpy(thread_current()->name, program->process->name, sizeof thread_current()->name);
}

static unsigned exec_vector(const struct exec *exec, const struct program *program, uint64_t random,
                            uint64_t name, uint64_t platform, uint64_t *out)
{
    const uint64_t pairs[][2] = {
        {AT_PHDR, exec->image.headers},
        {AT_PHENT, 56},
        {AT_PHNUM, exec->image.header_count},
        {AT_PAGESZ, 4096},
        {AT_BASE, 0},
        {AT_FLAGS, 0},
        {AT_ENTRY, exec->image.entry},
        {AT_UID, program->uid},
        {AT_EUID, program->euid},
        {AT_GID, program->gid},
        {AT_EGID, program->egid},
        {AT_PLATFORM, platform},
        {AT_HWCAP, abi_hwcap()},
        {AT_CLKTCK, CLOCK_TICKS},
        {AT_SECURE, program->uid != program->euid || program->gid != program->egid},
        {AT_RANDOM, random},
        {AT_EXECFN, name},
        {AT_NULL, 0},
    };

    _Static_assert(sizeof pairs <= VECTOR_MAX * sizeof *out, "VECTOR_MAX");
    memcpy(out, pairs, sizeof pairs);
    return sizeof pairs / sizeof *out;
}

/* From STACK_TOP down: what strings there are, then words that point to them. The memory is the
 * program's already. Returns the stack pointer, 0 if there is no room. */
static uint64_t exec_stack(const struct exec *exec, struct program *program, const char *path)
{
    const struct exec_strings *strings = exec->strings;
    size_t words = 1 + strings->arguments + 1 + strings->variables + 1 + VECTOR_MAX, n = 0;
    uint64_t name = STACK_TOP - 8 - (strlen(path) + 1), text = name - strings->used;
    uint64_t platform = text - sizeof ABI_PLATFORM, random = (platform - RANDOM_SIZE) & ~15ull;
    uint64_t at = text, sp, *vector = kmem_zalloc(words * sizeof *vector);
    uint8_t bytes[RANDOM_SIZE];
    int error;

    if (!vector)
        return 0;
    vector[n++] = strings->arguments;
    for (uint32_t i = 0; i < strings->arguments + strings->variables; i++) {
        if (i == strings->arguments)
            vector[n++] = 0;
        vector[n++] = at;
        at += strlen(strings->text + (at - text)) + 1;
    }
    if (strings->variables == 0)
        n++;
    n++;
    n += exec_vector(exec, program, random, name, platform, vector + n);
    sp = (random - n * sizeof *vector) & ~15ull;
    random_bytes(bytes, sizeof bytes);
    error = copyout(vector, (void *)sp, n * sizeof *vector);
    error |= copyout(bytes, (void *)random, sizeof bytes);
    error |= copyout(ABI_PLATFORM, (void *)platform, sizeof ABI_PLATFORM);
    error |= copyout(strings->text, (void *)text, strings->used);
    error |= copyout(path, (void *)name, strlen(path) + 1);
    kmem_free(vector);
    program->arguments = text;
    program->arguments_end = text + strings->arguments_used;
    program->environment_end = text + strings->used;
    return error == 0 ? sp : 0;
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

/* There is no way back from here on. */
static void exec_replace(struct exec *exec, struct task *task, const char *path,
                         struct trap_frame *frame)
{
    struct program *program = task->program;
    uint64_t sp;

    vm_attach(program->process, exec->vm);
    task_vfork_done(task);
    exec_forget(exec, task);
    exec_name(program, path);
    if (thread_user_prepare(&task->owner) != 0)
        program_exit(SIGKILL);
    sp = exec_stack(exec, program, path);
    if (sp == 0 || exec_zero_bss(&exec->image) != 0 || exec_map_trampoline(exec, program) != 0)
        program_exit(SIGSEGV);
    exec_frame(frame, exec->image.entry, sp);
}

int exec_run(const struct path_walk *walk, char *path, struct exec_strings *strings,
             struct trap_frame *frame)
{
    struct exec exec = {.strings = strings};
    struct task *task = task_current();
    int error = -ELOOP, result;

    for (int depth = 0; depth < SCRIPTS_MAX; depth++) {
        error = exec_open(&exec, walk, path);
        if (error != 0 || exec.head_size < 2 || memcmp(exec.head, "#!", 2) != 0)
            break;
        error = exec_script(&exec, path);
        exec_close(&exec);
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
    exec_close(&exec);
    result = error;
    if (error == 0)
        exec_replace(&exec, task, path, frame);
    if (error == 0 && perf_in_use)
        perf_exec(task);
    exec_strings_free(strings);
    return result;
}
