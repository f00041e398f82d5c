/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sh, as much as system(3), popen(3) and small scripts need: commands, pipes, lists, redirections,
 * if, while, for, groups. Not here: functions, case, here-documents, arithmetic, jobs, traps.
 */
#include "sh.h"
#include "tools.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STAGES 64 /* of a pipeline, at most */

struct sh sh;

_Noreturn void sh_syntax(void)
{
    fprintf(stderr, "sh: syntax error at '%.20s'\n", sh.at);
    _exit(2);
}

int sh_fork(void)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child < 0) {
        tool_complain("fork");
        _exit(127);
    }
    return child;
}

int sh_wait(int child)
{
    int status;
    pid_t ended;

    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    if (ended < 0)
        return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Over blanks and comments; over newlines too if LINES. */
void sh_skip(bool lines)
{
    for (;;) {
        if (*sh.at == ' ' || *sh.at == '\t' || (lines && *sh.at == '\n'))
            sh.at++;
        else if (sh.at[0] == '\\' && sh.at[1] == '\n')
            sh.at += 2;
        else if (*sh.at == '#')
            sh.at += strcspn(sh.at, "\n");
        else
            return;
    }
}

/* Whether the next word is WORD, which is taken then. */
bool sh_takes(const char *word)
{
    size_t length = strlen(word);

    sh_skip(false);
    if (strncmp(sh.at, word, length) != 0 || (length > 0 && sh_word_end(sh.at) != sh.at + length))
        return false;
    sh.at += length;
    return true;
}

void sh_wants(const char *word)
{
    sh_skip(true);
    if (!sh_takes(word))
        sh_syntax();
}

/* Whether a list ends here. */
static bool sh_is_end(void)
{
    static const char *const ends[] = {"then", "elif", "else", "fi", "do", "done", "}"};
    const char *before = sh.at;

    if (*sh.at == '\0' || *sh.at == ')')
        return true;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (sh_takes(ends[i])) {
            sh.at = before;
            return true;
        }
    return false;
}

/* "2>&1", "<file" and so on at the text's place; SAVED keeps what is changed, or is NULL. False:
 * there is none. */
bool sh_redirect(bool run, int saved[10])
{
    const char *at = sh.at;
    int number = *at >= '0' && *at <= '9' && (at[1] == '<' || at[1] == '>') ? *at++ - '0' : -1;
    bool out = *at == '>', more = out && at[1] == '>', same = at[1] == '&';
    const char *end;
    char *name;
    int fd;

    if (*at != '<' && *at != '>')
        return false;
    sh.at = at + 1 + (more || same);
    sh_skip(false);
    end = sh_word_end(sh.at);
    number = number >= 0 ? number : out;
    if (end == sh.at)
        sh_syntax();
    if (run) {
        name = sh_word_text(sh.at, (size_t)(end - sh.at));
        fflush(stdout);
        if (saved && saved[number] < 0)
            saved[number] = fcntl(number, F_DUPFD_CLOEXEC, 10);
        fd = same && *name == '-' ? -2
             : same               ? fcntl(atoi(name), F_DUPFD, 10)
                    : open(name, !out ? O_RDONLY : O_WRONLY | O_CREAT | (more ? O_APPEND : O_TRUNC),
                           0666);
        if (fd == -1) {
            tool_complain(name);
            sh.status = 1;
        }
        if (fd == -2)
            close(number);
        if (fd >= 0 && fd != number) {
            dup2(fd, number);
            close(fd);
        }
        sh.status = fd == -1;
        free(name);
    }
    sh.at = end;
    return true;
}

void sh_restore(int saved[10])
{
    for (int i = 0; i < 10; i++)
        if (saved[i] >= 0) {
            fflush(stdout);
            dup2(saved[i], i);
            close(saved[i]);
        }
}

static _Noreturn void sh_execute(const struct sh_words *words)
{
    execvp(words->word[0], words->word);
    if (errno == ENOENT)
        fprintf(stderr, "sh: %s: not found\n", words->word[0]);
    else
        tool_complain(words->word[0]);
    _exit(errno == ENOENT ? 127 : 126);
}

static bool sh_is_assignment(const char *word, const char *end)
{
    const char *equals = memchr(word, '=', (size_t)(end - word));

    return equals && equals > word &&
           strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
               (size_t)(equals - word);
}

/* Assignments, words and redirections. */
void sh_simple(bool run)
{
    struct sh_words words = {.count = 0}, before = {.count = 0};
    int saved[10] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const char *begin = sh.at, *end;
    bool failed = false, words_begun = false;
    int child;

    for (sh_skip(false); *sh.at; sh_skip(false)) {
        if (sh_redirect(run && !failed, saved)) {
            failed = failed || (run && sh.status != 0);
            continue;
        }
        end = sh_word_end(sh.at);
        if (end == sh.at)
            break;
        if (run && !words_begun && sh_is_assignment(sh.at, end))
            sh_words_add(&before, sh_word_text(sh.at, (size_t)(end - sh.at)));
        else if (run)
            sh_word_expand(sh.at, (size_t)(end - sh.at), &words);
        words_begun = words_begun || !sh_is_assignment(sh.at, end);
        sh.at = end;
    }
    if (sh.at == begin)
        sh_syntax();
    if (run && !failed && words.count == 0) {
        for (size_t i = 0; i < before.count; i++)
            putenv(strdup(before.word[i]));
        if (!before.count)
            sh.status = 0;
    } else if (run && !failed && !sh_own(&words)) {
        child = sh_fork();
        if (child == 0) {
            for (size_t i = 0; i < before.count; i++)
                putenv(before.word[i]);
            sh_execute(&words);
        }
        sh.status = sh_wait(child);
    }
    if (run && words.count > 0 && strcmp(words.word[0], "exec") == 0)
        memset(saved, -1, sizeof saved); /* they stay */
    sh_restore(saved);
    sh_words_free(&words);
    sh_words_free(&before);
}

static bool sh_at_pipe(void)
{
    sh_skip(false);
    return sh.at[0] == '|' && sh.at[1] != '|';
}

/* A stage of a pipeline in a child: INPUT and OUTPUT, or -1, are its ends of pipes, OTHER what only
 * its neighbour needs. */
static int sh_stage(const char *begin, int input, int output, int other)
{
    int child = sh_fork();

    if (child != 0)
        return child;
    if (input >= 0)
        dup2(input, 0);
    if (output >= 0)
        dup2(output, 1);
    close(input);
    close(output);
    close(other);
    sh.at = begin;
    sh_command(true);
    fflush(stdout);
    _exit(sh.status);
}

/* Stages with bars between them; one alone is run here. */
static void sh_pipeline(bool run)
{
    int ends[2], input = -1, children[STAGES], count = 0;
    const char *begin = sh.at, *behind;
    bool more = true;

    sh_command(false);
    if (!run || !sh_at_pipe()) {
        while (!run && sh_at_pipe()) {
            sh.at++;
            sh_skip(true);
            sh_command(false);
        }
        if (run) {
            sh.at = begin;
            sh_command(true);
        }
        return;
    }
    while (more && count < STAGES) {
        ends[0] = ends[1] = -1;
        more = sh_at_pipe();
        behind = sh.at;
        if (more && pipe(ends) != 0)
            _exit(127);
        children[count++] = sh_stage(begin, input, ends[1], ends[0]);
        close(input);
        close(ends[1]);
        input = ends[0];
        sh.at = behind + more;
        sh_skip(more);
        begin = sh.at;
        if (more)
            sh_command(false);
    }
    for (int i = 0; i < count; i++)
        sh.status = sh_wait(children[i]);
}

/* Pipelines with && and || between them. */
static void sh_and_or(bool run)
{
    bool now = run;

    for (;;) {
        bool not = sh_takes("!");

        sh_pipeline(now);
        if (now && not)
            sh.status = !sh.status;
        sh_skip(false);
        if (strncmp(sh.at, "&&", 2) == 0)
            now = run && sh.status == 0;
        else if (strncmp(sh.at, "||", 2) == 0)
            now = run && sh.status != 0;
        else
            return;
        sh.at += 2;
        sh_skip(true);
    }
}

static void sh_background(const char *begin)
{
    int child = sh_fork();

    if (child == 0) {
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        sh.at = begin;
        sh_and_or(true);
        fflush(stdout);
        _exit(sh.status);
    }
    sh.last_child = child;
    sh.status = 0;
}

void sh_list(bool run)
{
    const char *begin, *end;

    for (sh_skip(true); !sh_is_end(); sh_skip(true)) {
        begin = sh.at;
        sh_and_or(false);
        end = sh.at;
        if (end[0] == '&' && run)
            sh_background(begin);
        else if (run) {
            sh.at = begin;
            sh_and_or(true);
            if (sh.stop_on_error && sh.status != 0)
                _exit(sh.status);
        }
        sh.at = end;
        if (*sh.at == '&' || *sh.at == ';' || *sh.at == '\n')
            sh.at++;
        else if (!sh_is_end())
            sh_syntax();
    }
}

void sh_run_text(const char *text)
{
    const char *before = sh.at;

    sh.at = text;
    sh_list(true);
    if (*sh.at != '\0')
        sh_syntax();
    sh.at = before;
}

int sh_main(int argc, char **argv)
{
    FILE *file = stdin;
    char *text = NULL;
    size_t room = 0;

    sh.argv = argv;
    sh.argc = 1;
    for (argv++; *argv && (*argv)[0] == '-' && (*argv)[1]; argv++) {
        sh.stop_on_error = sh.stop_on_error || strchr(*argv, 'e');
        if (strchr(*argv, 'c')) {
            if (argv[1] && strcmp(argv[1], "--") == 0)
                argv++;
            text = argv[1];
            argv += argv[1] ? 2 : 1;
            break;
        }
    }
    if (!text && *argv && !(file = fopen(*argv, "re"))) {
        tool_complain(*argv);
        return 127;
    }
    if (*argv) {
        sh.argv = argv;
        for (sh.argc = 0; argv[sh.argc]; sh.argc++)
            ;
    }
    (void)argc;
    if (!text && getdelim(&text, &room, '\0', file) < 0)
        return 0;
    sh_run_text(text);
    return sh.status;
}
