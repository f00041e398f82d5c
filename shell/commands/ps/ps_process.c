/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes for ps, in the columns of NetBSD's ps(1) as far as there is something to tell. */
#include "kernel/memory/page.h"
#include "kernel/time/clock.h"
#include "lib/format.h"
#include "lib/number.h"
#include "lib/string.h"
#include "shell/command.h"
#include "lib/calendar.h"
#include "shell/commands/shared/process_list.h"
#include "shell/commands/ps/ps_form.h"
#include "shell/commands/shared/share.h"
#include "shell/options.h"
#include "shell/output.h"

#define SECOND     1000000000u
#define CENTISEC   10000000u
#define TEXT_BYTES 24
#define PICKED_MAX 64

enum ps_layout { PS_SHORT, PS_LONG, PS_USER };

struct ps_request {
    enum ps_layout layout;
    uint32_t picked[PICKED_MAX]; /* -p */
    unsigned picked_count;
    bool is_picked;
    uint64_t memory_bytes, now;
};

static bool ps_is_wanted(const struct ps_request *request, const struct process_row *row)
{
    for (unsigned i = 0; i < request->picked_count; i++)
        if (request->picked[i] == row->id)
            return true;
    return !request->is_picked;
}

/* Minutes, seconds and hundredths. */
static void ps_format_time(const struct process_row *row, char *text)
{
    uint64_t all = (row->user_ns + row->system_ns) / CENTISEC;

    format(text, TEXT_BYTES, "%llu:%02llu.%02llu", (unsigned long long)(all / 6000),
           (unsigned long long)(all / 100 % 60), (unsigned long long)(all % 100));
}

static void ps_format_state(const struct process_row *row, char *text)
{
    format(text, TEXT_BYTES, "%c%s%s", row->state, row->leads ? "s" : "",
           row->threads > 1 ? "l" : "");
}

/* Of a process that has ended only the name is left, in parentheses. */
static void ps_format_name(const struct process_row *row, char *text, size_t size)
{
    format(text, size, row->state == 'Z' ? "(%s)" : "%s", row->name);
}

static void ps_print_short(const struct process_row *row, const char *state, const char *time,
                           const char *name)
{
    shell_printf("%5u %-4s %9s %s\n", row->id, state, time, name);
}

static void ps_print_long(const struct process_row *row, const char *state, const char *time,
                          const char *name)
{
    shell_printf("%5u %5u %5u %3u %4u %3u %8llu %7llu %-4s %9s %s\n", row->uid, row->id,
                 row->parent, row->cpu, row->threads, row->priority,
                 (unsigned long long)(row->size >> 10), (unsigned long long)(row->resident >> 10),
                 state, time, name);
}

static void ps_print_user(const struct ps_request *request, const struct process_row *row,
                          const char *state, const char *time, const char *name)
{
    uint64_t cpu = share_of(row->user_ns + row->system_ns, request->now - row->started_ns, 1000);
    uint64_t memory = share_of(row->resident, request->memory_bytes, 1000);
    struct calendar began;

    calendar_from_seconds((clock_boot_time() + row->started_ns) / SECOND, &began);
    shell_printf("%5u %5u %3llu.%llu %2llu.%llu %8llu %7llu %-4s %02u:%02u:%02u %9s %s\n", row->uid,
                 row->id, (unsigned long long)(cpu / 10), (unsigned long long)(cpu % 10),
                 (unsigned long long)(memory / 10), (unsigned long long)(memory % 10),
                 (unsigned long long)(row->size >> 10), (unsigned long long)(row->resident >> 10),
                 state, began.hour, began.minute, began.second, time, name);
}

static void ps_print_heading(enum ps_layout layout)
{
    if (layout == PS_SHORT)
        shell_printf("%5s %-4s %9s %s\n", "PID", "STAT", "TIME", "COMMAND");
    else if (layout == PS_LONG)
        shell_printf("%5s %5s %5s %3s %4s %3s %8s %7s %-4s %9s %s\n", "UID", "PID", "PPID", "CPU",
                     "NLWP", "PRI", "VSZ", "RSS", "STAT", "TIME", "COMMAND");
    else
        shell_printf("%5s %5s %5s %4s %8s %7s %-4s %-8s %9s %s\n", "UID", "PID", "%CPU", "%MEM",
                     "VSZ", "RSS", "STAT", "STARTED", "TIME", "COMMAND");
}

static void ps_print(const struct ps_request *request, const struct process_row *row)
{
    char state[TEXT_BYTES], time[TEXT_BYTES], name[THREAD_NAME_LENGTH + 2];

    ps_format_state(row, state);
    ps_format_time(row, time);
    ps_format_name(row, name, sizeof name);
    if (request->layout == PS_SHORT)
        ps_print_short(row, state, time, name);
    else if (request->layout == PS_LONG)
        ps_print_long(row, state, time, name);
    else
        ps_print_user(request, row, state, time, name);
}

/* "3,14": 0, or a status. */
static int ps_pick(char **argv, const char *text, struct ps_request *request)
{
    char word[TEXT_BYTES];
    uint64_t id;

    request->is_picked = true;
    while (*text != '\0') {
        size_t length = 0;

        while (text[length] != '\0' && text[length] != ',')
            length++;
        strlcpy(word, text, length + 1 < sizeof word ? length + 1 : sizeof word);
        if (options_number(argv, "process", word, 1, UINT32_MAX, &id) != 0)
            return STATUS_USAGE;
        if (request->picked_count == PICKED_MAX) {
            shell_printf("%s: more than %u processes\n", argv[0], PICKED_MAX);
            return STATUS_USAGE;
        }
        request->picked[request->picked_count++] = (uint32_t)id;
        text += length + (text[length] == ',');
    }
    return 0;
}

/* One of the letters; false: there is none such. */
static bool ps_set_option(struct ps_request *request, int option)
{
    if (option == 'l' || option == 'f')
        request->layout = PS_LONG;
    if (option == 'u')
        request->layout = PS_USER;
    return option != '\0' && strchr("aAexlu", option) != NULL;
}

/* "aux", as people have typed it since before options had hyphens. */
static bool ps_is_old_word(struct ps_request *request, const char *word)
{
    while (ps_set_option(request, *word))
        word++;
    return *word == '\0';
}

static int ps_read_request(int argc, char **argv, struct ps_request *request)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "aAefxlup:"};
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        ps_set_option(request, option);
        if (option == 'p' && ps_pick(argv, options.value, request) != 0)
            return STATUS_USAGE;
    }
    if (options.index + 1 == argc && ps_is_old_word(request, argv[options.index]))
        return 0;
    return options.index < argc ? command_usage(argv[0]) : 0;
}

static int ps_process_run(int argc, char **argv)
{
    struct ps_request request = {.memory_bytes = 0};
    struct process_list list = {.count = 0};
    struct page_stats pages;
    bool shown = false;

    if (ps_read_request(argc, argv, &request) != 0)
        return STATUS_USAGE;
    page_stats_get(&pages);
    request.memory_bytes = pages.total * PAGE_SIZE;
    if (process_list_take(&list, argv[0]) != 0)
        return 1;
    request.now = clock_now();
    ps_print_heading(request.layout);
    for (size_t i = 0; i < list.count && !shell_interrupted(); i++)
        if (ps_is_wanted(&request, &list.rows[i])) {
            ps_print(&request, &list.rows[i]);
            shown = true;
        }
    process_list_free(&list);
    return request.is_picked && !shown ? 1 : 0;
}
PS_FORM(ps_process_form, ps_process_run);
