/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shell: see shell.h. It joins the line editor, the parser and the commands; each of them works
 * without it. Nothing is prepared before the first prompt, which has to come quickly.
 */
#include "shell/shell.h"

#include "kernel/console/console.h"
#include "kernel/console/log_ring.h"
#include "kernel/console/script.h"
#include "kernel/thread/thread.h"
#include "kernel/console/shutdown.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/command_list.h"
#include "shell/job.h"
#include "shell/line_editor.h"
#include "shell/output.h"
#include "shell/parser.h"
#include "shell/screen.h"

#define INTERRUPT_BYTE 3

static int last_status;
static bool stops; /* at the first command that fails */
static bool left;  /* somebody said exit */
static SHARED_BSS struct parser parser, list_parser, completion_parser;
static SHARED_BSS struct history history;
static SHARED_BSS char completion_line[LINE_ROW_BYTES + 1];
static SHARED_BSS struct line_editor editor;

/* The status of starting a list in the background. */
static int shell_run_in_background(const struct parser_list *list)
{
    int number = job_start(list, last_status);

    if (number == -EAGAIN)
        shell_printf("shell: %s not started: %u jobs run already\n", list->name, JOBS_MAX);
    else if (number < 0)
        shell_printf("shell: %s not started: no memory\n", list->name);
    else if (script_get() == NULL)
        shell_printf("[%d] %s\n", number, list->name);
    return number < 0 ? 1 : 0;
}

void shell_set_stop(bool stop)
{
    stops = stop;
}

bool shell_stops(void)
{
    return stops;
}

void shell_exit(int status)
{
    last_status = status;
    left = true;
}

bool shell_exited(void)
{
    return left;
}

int shell_status(void)
{
    return last_status;
}

/* Runs the next list of the line at *NEXT, which is stepped over; false at the line's end. */
static bool shell_run_list(const char **next)
{
    struct parser_list list;
    bool failed = false;
    int status;

    parser_init(&list_parser, *next);
    if (parser_next_list(&list_parser, &list) != PARSER_COMMAND)
        return false;
    *next = list_parser.next;
    if (list.background) {
        last_status = shell_run_in_background(&list);
    } else {
        parser_init(&parser, list.source);
        status = command_list_run(&parser, last_status, &failed);
        if (!left)
            last_status = status;
    }
    return !left && !(stops && failed);
}

int shell_run_line(const char *line)
{
    const char *wrong = parser_check(&parser, line);

    if (wrong != NULL) {
        shell_printf("shell: %s\n", wrong);
        last_status = STATUS_USAGE;
        return last_status;
    }
    while (shell_run_list(&line)) {
        if (shell_interrupted()) {
            last_status = STATUS_INTERRUPTED;
            break;
        }
    }
    return last_status;
}

/* The command behind the prefixes, as far as these tell where it begins; NULL if there is none. */
static const struct command *shell_find_last(const struct parser *words, int *first)
{
    const struct command *command = command_find(words->argv[0]);

    *first = 0;
    while (command != NULL && command->prefix != NULL && command->prefix->words > 0 &&
           words->argc - *first >= command->prefix->words) {
        *first += command->prefix->words;
        command = *first < words->argc ? command_find(words->argv[*first]) : NULL;
    }
    return command;
}

/* Words before the one at the end of the line choose the candidates for it. */
static void shell_complete_line(void *arg, const char *line, size_t length,
                                struct completion *completion)
{
    struct parser *words = &completion_parser;
    const struct command *command;
    int first;

    (void)arg;
    memcpy(completion_line, line, length);
    completion_line[length] = '\0';
    parser_init(words, completion_line);
    while (parser_next(words, last_status) == PARSER_COMMAND && *words->next != '\0')
        continue;
    /* A line that ends in `;`, `&`, `|` or in blanks has a new word there. */
    if (length > 0 && !words->in_word && strchr(";&|\n", line[length - 1]) != NULL)
        words->argc = 0;
    completion->prefix = "";
    if (words->in_target)
        return;
    if (words->in_word && words->argc > 0)
        completion->prefix = words->argv[--words->argc];
    if (words->argc == 0) {
        command_complete_names(completion, 0, NULL);
        return;
    }
    command = shell_find_last(words, &first);
    if (command == NULL && first == words->argc)
        command_complete_names(completion, 0, NULL);
    else if (command != NULL && completion->prefix[0] == '-')
        command_complete_options(completion, command);
    else if (command != NULL && command->complete != NULL)
        command->complete(completion, words->argc - first, words->argv + first);
}

static void shell_write_console(void *arg, const char *text, size_t length)
{
    (void)arg;
    console_write(text, length);
}

static void shell_prepare_editor(void)
{
    editor.complete = shell_complete_line;
    editor.history = &history;
    editor.row.prompt = "quipu> ";
    editor.row.write = shell_write_console;
}

/* Not to be inlined or folded: an observer finds it by its address. */
__attribute__((noinline, noclone)) void shell_wait_input(void)
{
    __asm__ volatile("" ::: "memory");
}

/* Bytes read but not yet looked at: several lines may come at once. */
static char input[64];
static size_t input_used, input_length;

/* What the log has kept back: whether there was something. HIDE: the line has to make room. */
static bool shell_show_log(bool hide)
{
    char text[256];
    size_t length;
    bool shown = false;

    while ((length = log_held(text, sizeof(text))) > 0) {
        if (hide && !shown)
            line_row_hide(&editor.row);
        console_write(text, length);
        shown = true;
    }
    return shown;
}

static char shell_read_byte(void)
{
    if (input_used == input_length) {
        input_used = 0;
        while ((input_length = console_read_or_nudge(input, sizeof(input))) == 0)
            if (shell_show_log(true))
                line_row_draw(&editor.row);
    }
    return input[input_used++];
}

static void shell_read_line(void)
{
    enum line_result result;

    job_tell();
    editor.row.columns = screen_columns();
    log_hold();
    line_editor_start(&editor);
    shell_wait_input();
    do
        result = line_editor_feed(&editor, shell_read_byte());
    while (result == LINE_MORE);
    if (result == LINE_REFUSED)
        last_status = STATUS_USAGE;
    while (!log_release())
        shell_show_log(false);
}

/* A ^C that was read in one burst with the line, before another line's end, stops it as well. */
static bool shell_interrupt_was_read(void)
{
    size_t i = input_used;

    if (i < input_length && input[i] == '\n')
        i++; /* belongs to the carriage return that ended the line */
    for (; i < input_length && input[i] != '\r' && input[i] != '\n'; i++) {
        if (input[i] == INTERRUPT_BYTE)
            return true;
    }
    return false;
}

/* ^C is for the line that runs: for the shell's own thread, which runs it. */
static struct foreground {
    struct console_owner owner;
    struct thread *thread;
} foreground;

static bool shell_interrupt_foreground(struct console_owner *owner, char byte)
{
    if (byte == CONSOLE_INTERRUPT)
        thread_interrupt(((struct foreground *)owner)->thread);
    return byte == CONSOLE_INTERRUPT;
}

static void shell_run_typed_line(void)
{
    if (shell_interrupt_was_read())
        return; /* the line editor meets that byte next */
    console_set_owner(&foreground.owner);
    shell_run_line(editor.row.text);
    console_set_owner(NULL);
    if (left) {
        console_drain();
        machine_poweroff();
    }
    if (thread_interruption_take()) {
        input_used = input_length = 0;
        console_write("^C\n", 3);
    }
}

/* Jobs that still run at the end are waited for, so that nothing of their output is lost. */
static void shell_run_script(const struct script *script)
{
    int status, ignored;

    script_begin();
    if (script->fault != NULL) {
        shell_printf("quipu: the script is %s; nothing of it was run\n", script->fault);
        status = STATUS_USAGE;
    } else {
        status = shell_run_line(script->text);
    }
    job_wait_all(&ignored);
    script_exit(status);
    machine_poweroff();
}

void shell_start(void)
{
    const struct script *script = script_get();

    shell_prepare_editor();
    foreground.owner.takes = shell_interrupt_foreground;
    foreground.thread = thread_current();
    if (script != NULL)
        shell_run_script(script);
    for (;;) {
        shell_read_line();
        shell_run_typed_line();
    }
}
