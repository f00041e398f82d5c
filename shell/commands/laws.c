/* SPDX-License-Identifier: BSD-2-Clause */
/* laws: checks that counts which are kept in different places agree. */
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/law_check.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define CHECKS_MOST 1000000000ull
#define TEXT        256
#define SPARE       32 /* subjects that may come between counting them and listing them */

/* What is found, gathered while everything stands still. Sums over all subjects of a law, or a row
 * for each of them. */
struct row {
    struct law_finding finding;
    uint64_t subjects;
};

struct table {
    bool sums;
    size_t room, used;
    struct row *rows;
};

static void laws_take(const struct law_finding *finding, void *argument)
{
    struct table *table = argument;
    struct row *row = table->rows;

    while (table->sums && row < &table->rows[table->used] && row->finding.law != finding->law)
        row++;
    if (!table->sums || row == &table->rows[table->used]) {
        if (table->used == table->room)
            return;
        row = &table->rows[table->used++];
        *row = (struct row){.finding = *finding, .subjects = 1};
        return;
    }
    row->subjects++;
    row->finding.left += finding->left;
    row->finding.right += finding->right;
    row->finding.holds = row->finding.holds && finding->holds;
}

/* Whether NAME is the law's, or, where none is called so, the part of its name before a hyphen. */
static bool laws_is_named(const struct law *law, const char *name)
{
    const struct law *whole = law_find(name);
    size_t length = strlen(name);

    if (whole)
        return law == whole;
    return strncmp(law->name, name, length) == 0 && length > 0 && law->name[length] == '-';
}

static const char *laws_sign(const struct law *law)
{
    return law->relation == LAW_AT_MOST ? "<=" : "=";
}

static int laws_list(void)
{
    const struct law *law = NULL;

    while ((law = law_next(law)) != NULL && !shell_interrupted())
        shell_printf("%-20s %s %s %s\n", law->name, law->left, laws_sign(law), law->right);
    return 0;
}

static void laws_print_violation(const struct law_finding *finding)
{
    char text[TEXT];

    law_describe(finding, text, sizeof text);
    shell_printf("laws: violated: %s\n", text);
}

/* Checks once, and says why not if it cannot: 0, or a status. */
static int laws_check_once(struct law_check *check)
{
    int error = law_check(check);

    if (error == -EBUSY)
        shell_printf("laws: CPU %u came to no standstill\n", check->late);
    else if (error == -ENOENT)
        shell_printf("laws: %s has nothing to be planted in here\n", check->only->name);
    if (error == 0 && check->violations != 0 && !check->told)
        laws_print_violation(&check->first);
    return error != 0 || check->violations != 0 ? 1 : 0;
}

static void laws_print_row(const struct row *row, bool sums)
{
    const struct law_finding *f = &row->finding;

    if (sums)
        shell_printf("%-20s %8llu", f->law->name, (unsigned long long)row->subjects);
    else
        shell_printf("%-29s", f->subject[0] ? f->subject : f->law->name);
    shell_printf(" %20llu %-2s %20llu  %s\n", (unsigned long long)f->left, laws_sign(f->law),
                 (unsigned long long)f->right, f->holds ? "ok" : "VIOLATED");
}

/* In the order of the laws' names, which is not the one in which they were checked. */
static void laws_print_table(const struct table *table)
{
    const struct law *law = NULL;

    while ((law = law_next(law)) != NULL)
        for (size_t i = 0; i < table->used && !shell_interrupted(); i++)
            if (table->rows[i].finding.law == law)
                laws_print_row(&table->rows[i], table->sums);
}

/* All laws, each in one line; or the subjects of ONLY. */
static int laws_show(const struct law *only)
{
    struct law_check check = {.only = only};
    struct table table = {.sums = only == NULL, .room = SPARE};
    const struct law *law = NULL;
    int status = laws_check_once(&check); /* of which the number of rows is known */

    if (only)
        table.room += check.subjects;
    else
        while ((law = law_next(law)) != NULL)
            table.room++;
    table.rows = kmem_alloc(table.room * sizeof *table.rows);
    if (!table.rows) {
        shell_printf("laws: out of memory\n");
        return 1;
    }
    check = (struct law_check){.only = only, .told = laws_take, .argument = &table};
    status |= laws_check_once(&check);
    if (only)
        shell_printf("%s: %s %s %s\n", only->name, only->left, laws_sign(only), only->right);
    else
        shell_printf("%-20s %8s %20s    %20s\n", "law", "subjects", "left", "right");
    laws_print_table(&table);
    if (table.used == 0)
        shell_printf("there is nothing of the kind now\n");
    if (check.violations != 0)
        laws_print_violation(&check.first);
    kmem_free(table.rows);
    return shell_interrupted() ? STATUS_INTERRUPTED : status;
}

struct request {
    bool plant;
    uint64_t count; /* 0: once, as a table */
    uint64_t wait;  /* ns from one check to the next */
};

static int laws_check_often(const struct law *only, const struct request *request)
{
    struct law_check check = {.only = only};
    uint64_t done = 0, subjects = 0;
    bool interrupted;
    int status = 0;

    for (; done < request->count && status == 0 && !shell_interrupted(); done++) {
        if (done > 0 && request->wait != 0 &&
            !shell_sleep_until(clock_after(clock_now(), request->wait)))
            break;
        check = (struct law_check){.only = only};
        status = laws_check_once(&check);
        subjects += check.subjects;
    }
    interrupted = shell_interrupt_aside(); /* how often is said all the same */
    shell_printf("%llu checks, %llu comparisons, %llu violated\n", (unsigned long long)done,
                 (unsigned long long)subjects, (unsigned long long)check.violations);
    if (interrupted)
        shell_interrupt_again();
    return interrupted && status == 0 ? STATUS_INTERRUPTED : status;
}

static int laws_obey(const struct request *request, const struct law *only)
{
    struct law_check check = {.only = only, .planted = true};

    if (request->plant)
        return laws_check_once(&check);
    return request->count != 0 ? laws_check_often(only, request) : laws_show(only);
}

/* All laws that NAME names; -1: none. */
static int laws_obey_named(const struct request *request, const char *name)
{
    const struct law *law = NULL;
    int status = -1;

    while ((law = law_next(law)) != NULL && !shell_interrupted()) {
        if (laws_is_named(law, name)) {
            int one = laws_obey(request, law);

            status = one > status ? one : status;
        }
    }
    return status;
}

static int laws_read_option(char **argv, int option, const char *value, struct request *request)
{
    switch (option) {
    case 'p':
        request->plant = true;
        return 0;
    case 'n':
        return options_number(argv, "count", value, 1, CHECKS_MOST, &request->count);
    case 'w':
        return options_interval(argv, value, &request->wait);
    default:
        return STATUS_USAGE;
    }
}

static int laws_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "ln:pw:"};
    struct request request = {.plant = false};
    int option, status = 0;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == 'l')
            return laws_list();
        if (laws_read_option(argv, option, options.value, &request) != 0)
            return STATUS_USAGE;
    }
    if (options.index == argc)
        return request.plant ? command_usage(argv[0]) : laws_obey(&request, NULL);
    for (int i = options.index; i < argc; i++) {
        int one = laws_obey_named(&request, argv[i]);

        if (one < 0) {
            shell_printf("%s: no law named \"%s\", see laws -l\n", argv[0], argv[i]);
            return STATUS_USAGE;
        }
        status = one > status ? one : status;
    }
    return status;
}

static void laws_complete(struct completion *completion, int argc, char **argv)
{
    const struct law *law = NULL;

    (void)argc;
    (void)argv;
    while ((law = law_next(law)) != NULL)
        completion_add(completion, law->name);
}

COMMAND(laws, .name = "laws", .summary = "check that counts kept in different places agree",
        .usage = "laws [-l] [-p] [-n COUNT [-w SECONDS]] [NAME...]",
        .description =
            "Every law is checked at one moment, at which all CPUs stand still. Without names, a\n"
            "line for each law with the sums of its two sides; with NAME, a line for each of its\n"
            "subjects. NAME is a law, or what stands before a hyphen for all laws of that kind.\n"
            "The status is 1 if a law is violated; in the checked build that is a panic.\n"
            "  -l          list them and their sides instead\n"
            "  -n COUNT    check that many times, and print no tables\n"
            "  -w SECONDS  wait that long between two of these checks\n"
            "  -p          first put one too many on the left side: what then is found\n"
            "\n"
            "Example: laws -n 1000; laws line\n",
        .run = laws_run, .complete = laws_complete);
