/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs commands, and commands before commands: `time on 0 watch sleep 1` is three prefixes and a
 * command. Each prefix has a level, in memory of its own and not on the stack, so a line may hold
 * as many as it has room for. Levels are entered from left to right; when what is inside has ended,
 * the innermost one is asked whether that was all.
 */
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/command_times.h"
#include "shell/output.h"

struct level {
    struct level *outer;
    const struct command *command;
    uint64_t start;
    int argc; /* of what is inside */
    char **argv;
    _Alignas(16) char state[]; /* the prefix's */
};

/* What is to be run next, and where the result goes. */
struct runner {
    struct level *innermost;
    int argc;
    char **argv;
    int status;
};

/* Whether there is something inside to be run; if not, the runner has a status. */
static bool command_runner_enter_prefix(struct runner *runner, const struct command *command,
                                        uint64_t start)
{
    struct level *level = kmem_zalloc(sizeof(*level) + command->prefix->state_bytes);
    int inner;

    if (level == NULL) {
        shell_complain("%s: no memory\n", command->name);
        runner->status = 1;
        return false;
    }
    inner = command->prefix->begin(level->state, runner->argc, runner->argv, &runner->status);
    if (inner == 0) {
        kmem_free(level);
        return false;
    }
    runner->argc -= inner;
    runner->argv += inner;
    level->outer = runner->innermost;
    level->command = command;
    level->start = start;
    level->argc = runner->argc;
    level->argv = runner->argv;
    runner->innermost = level;
    return true;
}

/* What is no command may be something else's. */
static int runner_other(int argc, char **argv)
{
    const struct command_other *const *other;
    int status;

    LINKER_SET_FOREACH (other, command_others) {
        status = (*other)->run(argc, argv);
        if (status != COMMAND_NONE)
            return status & 255;
    }
    command_not_found(argv[0]);
    return STATUS_NOT_FOUND;
}

static bool command_runner_asks_for_help(const struct command *command, int argc, char **argv)
{
    return argc == 2 && !command->verbatim && strcmp(argv[1], "--help") == 0;
}

/* Runs the command whose words the runner has; true if that was a prefix, and there is more to run.
 */
static bool command_runner_enter(struct runner *runner)
{
    const struct command *command = command_find(runner->argv[0]);
    uint64_t start;

    if (command == NULL) {
        runner->status = runner_other(runner->argc, runner->argv);
        return false;
    }
    if (command_runner_asks_for_help(command, runner->argc, runner->argv)) {
        command_describe(command);
        runner->status = 0;
        return false;
    }
    start = clock_now();
    if (command->prefix == NULL)
        runner->status = command->run(runner->argc, runner->argv);
    else if (command_runner_enter_prefix(runner, command, start))
        return true;
    runner->status &= 255;
    command_times_add(command, start, clock_now());
    return false;
}

/* What is inside the innermost level has ended; true if it is to be run again. */
static bool command_runner_leave(struct runner *runner)
{
    struct level *level = runner->innermost;
    int status = level->command->prefix->end(level->state, runner->status);

    if (status == COMMAND_AGAIN) {
        runner->argc = level->argc;
        runner->argv = level->argv;
        return true;
    }
    runner->status = status & 255;
    runner->innermost = level->outer;
    command_times_add(level->command, level->start, clock_now());
    kmem_free(level);
    return false;
}

int command_run(int argc, char **argv)
{
    struct runner runner = {.argc = argc, .argv = argv};
    bool more;

    do {
        more = command_runner_enter(&runner);
        while (!more && runner.innermost != NULL)
            more = command_runner_leave(&runner);
    } while (more);
    return runner.status;
}
