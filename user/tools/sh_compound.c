/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of sh that have lists in them: if, while, until, for, groups, children. */
#include "sh.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void sh_if(bool run)
{
    bool done = false, now;

    do {
        sh_list(run && !done);
        now = run && !done && sh.status == 0;
        sh_wants("then");
        sh_list(now);
        done = done || now;
        sh_skip(true);
    } while (sh_takes("elif"));
    if (sh_takes("else"))
        sh_list(run && !done);
    else if (run && !done)
        sh.status = 0;
    sh_wants("fi");
}

static void sh_while(bool run, bool until)
{
    const char *begin = sh.at;
    bool again;
    int status = 0;

    do {
        sh.at = begin;
        sh_list(run);
        again = run && (sh.status == 0) != until;
        sh_wants("do");
        sh_list(again);
        status = again ? sh.status : status;
    } while (again);
    sh.status = run ? status : sh.status;
    sh_wants("done");
}

static void sh_for(bool run)
{
    struct sh_words words = {.count = 0};
    const char *begin, *end;
    char *name;

    sh_skip(false);
    end = sh_word_end(sh.at);
    name = strndup(sh.at, (size_t)(end - sh.at));
    sh.at = end;
    if (!sh_takes("in"))
        sh_word_expand("\"$@\"", 4, &words);
    for (sh_skip(false); (end = sh_word_end(sh.at)) != sh.at; sh_skip(false)) {
        if (run)
            sh_word_expand(sh.at, (size_t)(end - sh.at), &words);
        sh.at = end;
    }
    sh.at += *sh.at == ';';
    sh_wants("do");
    begin = sh.at;
    for (size_t i = 0; run && i < words.count; i++) {
        sh.at = begin;
        setenv(name, words.word[i], 1);
        sh_list(true);
    }
    sh.at = begin;
    sh_list(false);
    sh_wants("done");
    sh_words_free(&words);
    free(name);
}

/* ( list ): in a child. */
static void sh_subshell(bool run)
{
    const char *begin = ++sh.at;
    int child = 0;

    if (run && (child = sh_fork()) == 0) {
        sh_list(true);
        fflush(stdout);
        _exit(sh.status);
    }
    sh.at = begin;
    sh_list(false);
    sh_skip(true);
    if (*sh.at++ != ')')
        sh_syntax();
    if (run)
        sh.status = sh_wait(child);
}

/* A command, the redirections of a compound one before it is run. */
void sh_command(bool run)
{
    int saved[10] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const char *begin, *behind;
    bool twice = false;

    sh_skip(false);
    begin = sh.at;
    for (;;) {
        bool now = run && twice;

        sh.at = begin;
        if (*sh.at == '(')
            sh_subshell(now);
        else if (sh_takes("if"))
            sh_if(now);
        else if (sh_takes("while"))
            sh_while(now, false);
        else if (sh_takes("until"))
            sh_while(now, true);
        else if (sh_takes("for"))
            sh_for(now);
        else if (sh_takes("{")) {
            sh_list(now);
            sh_wants("}");
        } else {
            sh_simple(run);
            return;
        }
        behind = sh.at;
        if (twice || !run)
            break;
        for (sh_skip(false); sh_redirect(run, saved); sh_skip(false))
            ;
        twice = true;
    }
    sh.at = behind;
    for (sh_skip(false); sh_redirect(false, NULL); sh_skip(false))
        ;
    sh_restore(saved);
}
