/* SPDX-License-Identifier: BSD-2-Clause */
/* intrctl: which CPU gets which interrupts, after NetBSD's intrctl(8). */
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/commands/shared/cpu_list.h"
#include "shell/commands/shared/interrupt_list.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/screen.h"

#define NAME_COLUMN  20 /* at least */
#define CPU_COLUMNS  10 /* for each CPU */
#define DEVICES_ROOM 18 /* for names of devices, of a table that is to fit on a terminal */

static bool intrctl_can_move(const struct interrupt_line *line)
{
    return line->chip != NULL && line->chip->route != NULL;
}

/* The columns from CPU FIRST on, up to END. */
static void intrctl_print_row(const struct interrupt_row *row, int column, unsigned first,
                              unsigned end)
{
    const struct interrupt_line *line = row->line;
    const struct interrupt_handler *handler;
    char name[INTERRUPT_LIST_NAME], count[32];
    const char *comma = " ";
    struct shell_gather text;

    text.used = 0;
    interrupt_list_name(line, name);
    shell_gather_printf(&text, "%-*s", column, name);
    for (unsigned cpu = first; cpu < end; cpu++) {
        format(count, sizeof(count), "%llu%s", (unsigned long long)row->on_cpu[cpu],
               intrctl_can_move(line) && line->cpu == cpu ? "*" : " ");
        shell_gather_printf(&text, " %9s", count);
    }
    for (handler = line->handlers; handler != NULL; handler = handler->next) {
        shell_gather_printf(&text, "%s%s", comma, handler->count.ev_group);
        comma = ", ";
    }
    if (interrupt_storms(line))
        shell_gather_printf(&text, " (masked: nobody claims it)");
    if (text.text[text.used - 1] == ' ')
        text.used--;
    shell_gather_put(&text, "\n", 1);
    shell_gather_flush(&text);
}

static void intrctl_print_part(const struct interrupt_list *lines, int column, unsigned first,
                               unsigned end)
{
    struct shell_gather text = {.used = 0};
    char name[16];

    shell_gather_printf(&text, "%s%-*s", first > 0 ? "\n" : "", column, "interrupt id");
    for (unsigned cpu = first; cpu < end; cpu++) {
        format(name, sizeof(name), "CPU%u ", cpu);
        shell_gather_printf(&text, " %9s", name);
    }
    shell_gather_printf(&text, " device name(s)\n");
    shell_gather_flush(&text);
    for (size_t i = 0; i < lines->count && !shell_interrupted(); i++)
        intrctl_print_row(&lines->rows[i], column, first, end);
}

/* How many CPUs have room beside each other. */
static unsigned intrctl_cpus_a_part(unsigned column)
{
    unsigned columns = screen_columns(), others = column + DEVICES_ROOM;

    return columns < others + CPU_COLUMNS ? 1 : (columns - others) / CPU_COLUMNS;
}

static int intrctl_list(const char *command)
{
    struct interrupt_list lines;
    char name[INTERRUPT_LIST_NAME];
    size_t column = NAME_COLUMN;
    unsigned part;

    if (interrupt_list_take(&lines, command) != 0)
        return 1;
    for (size_t i = 0; i < lines.count; i++) {
        interrupt_list_name(lines.rows[i].line, name);
        column = strlen(name) > column ? strlen(name) : column;
    }
    part = intrctl_cpus_a_part((unsigned)column);
    for (unsigned first = 0; first < cpu_count(); first += part)
        intrctl_print_part(&lines, (int)column, first,
                           first + part < cpu_count() ? first + part : cpu_count());
    interrupt_list_free(&lines);
    return 0;
}

static struct interrupt_line *intrctl_find_line(const char *wanted)
{
    struct interrupt_line *line = NULL;
    char name[INTERRUPT_LIST_NAME];

    while ((line = interrupt_line_next(line)) != NULL) {
        interrupt_list_name(line, name);
        if (strcmp(name, wanted) == 0)
            break;
    }
    return line;
}

static int intrctl_set_affinity(char **argv, const char *name, const char *cpu_text)
{
    struct interrupt_line *line;
    char why[CPU_LIST_BYTES];
    uint64_t cpu;
    int error;

    if (options_number(argv, "CPU", cpu_text, 0, UINT32_MAX, &cpu) != 0)
        return STATUS_USAGE;
    line = intrctl_find_line(name);
    if (line == NULL) {
        shell_printf("%s: no line named \"%s\"\n", argv[0], name);
        return 1;
    }
    if (cpu >= cpu_count()) {
        cpu_list_beyond(why, sizeof(why), cpu, cpu_count());
        shell_printf("%s: %s\n", argv[0], why);
        return 1;
    }
    error = interrupt_set_affinity(line, (unsigned)cpu);
    if (error == -ENOTSUP)
        shell_printf("%s: %s cannot be moved: its chip does not choose a CPU\n", argv[0], name);
    else if (error != 0)
        shell_printf("%s: %s cannot be sent to CPU %llu (error %d)\n", argv[0], name,
                     (unsigned long long)cpu, -error);
    return error == 0 ? 0 : 1;
}

/* argv[1] is the verb; options follow it, in NetBSD's manner, or just the two values. */
static int intrctl_affinity(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "i:c:", .index = 2};
    const char *line = NULL, *cpu = NULL;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        *(option == 'i' ? &line : &cpu) = options.value;
    }
    if (line == NULL && options.index < argc)
        line = argv[options.index++];
    if (cpu == NULL && options.index < argc)
        cpu = argv[options.index++];
    if (line == NULL || cpu == NULL || options.index < argc)
        return command_usage(argv[0]);
    return intrctl_set_affinity(argv, line, cpu);
}

static int intrctl_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return intrctl_list(argv[0]);
    if (argc > 2 && strcmp(argv[1], "affinity") == 0)
        return intrctl_affinity(argc, argv);
    return command_usage(argv[0]);
}

static void intrctl_complete(struct completion *completion, int argc, char **argv)
{
    (void)argv;
    if (argc != 1)
        return;
    completion_add(completion, "affinity");
    completion_add(completion, "list");
}

COMMAND(intrctl, .name = "intrctl", .summary = "show and choose which CPU gets an interrupt",
        .usage = "intrctl list | affinity LINE CPU | affinity -i LINE -c CPU",
        .description =
            "  list      each line, how often it came to each CPU, and its devices; * marks the\n"
            "            CPU that a line goes to, where its chip can choose; a line that comes\n"
            "            again and again for nobody is masked for a second, and says so\n"
            "  affinity  sends a line, named as in the list, to a CPU from now on\n"
            "  -i LINE   the line\n"
            "  -c CPU    the CPU\n"
            "\n"
            "Example: intrctl affinity 'ioapic0 pin 4' 1; intrctl list\n",
        .run = intrctl_run, .complete = intrctl_complete);
