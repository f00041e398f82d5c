/* SPDX-License-Identifier: BSD-2-Clause */
/* command_list: see command_list.h. A command by itself needs neither files nor threads. */
#include "shell/command_list.h"

#include "shell/command.h"
#include "shell/output.h"
#include "shell/parser.h"
#include "shell/shell.h"

static int command_list_pipeline(const struct parser *parser)
{
    const struct command_pipes *const *pipes;

    if (parser->stage_count == 1 && parser->redirection_count == 0)
        return command_run(parser->argc, parser->argv);
    LINKER_SET_FOREACH (pipes, command_pipes)
        return (*pipes)->run(parser);
    shell_complain("shell: this kernel has no pipes and no files\n");
    return 1;
}

/* Whether what comes next is to be run after what has ended with STATUS, and BEFORE. */
static bool command_list_wants(enum parser_end before, int status)
{
    return !(before == PARSER_AND && status != 0) && !(before == PARSER_OR && status == 0);
}

int command_list_run(struct parser *parser, int status, bool *failed)
{
    enum parser_end before;
    bool ran = false;

    do {
        before = parser->end;
        if (parser_next(parser, status) != PARSER_COMMAND)
            break;
        ran = command_list_wants(before, status);
        if (ran)
            status = command_list_pipeline(parser) & 255;
        if (shell_interrupted())
            return STATUS_INTERRUPTED;
        if (shell_exited())
            break;
    } while (parser->end == PARSER_AND || parser->end == PARSER_OR);
    if (failed)
        *failed = ran && status != 0;
    return status;
}
