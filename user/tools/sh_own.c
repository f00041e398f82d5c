/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands that only sh itself can be: they change it. */
#include "sh.h"
#include "tools.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int sh_own_cd(char **words)
{
    const char *to = words[1] ? words[1] : getenv("HOME");

    if (to && chdir(to) == 0)
        return 0;
    tool_complain(to ? to : "HOME");
    return 1;
}

static int sh_own_exit(char **words)
{
    fflush(stdout);
    _exit(words[1] ? atoi(words[1]) & 255 : sh.status);
}

/* All variables are exported: programs see them. */
static int sh_own_export(char **words)
{
    for (words++; *words; words++)
        if (strchr(*words, '='))
            putenv(strdup(*words));
    return 0;
}

static int sh_own_unset(char **words)
{
    for (words++; *words; words++)
        unsetenv(*words);
    return 0;
}

static int sh_own_shift(char **words)
{
    (void)words;
    if (sh.argc < 2)
        return 1;
    sh.argv[1] = sh.argv[0];
    sh.argv++;
    sh.argc--;
    return 0;
}

static int sh_own_exec(char **words)
{
    if (!words[1])
        return 0;
    execvp(words[1], words + 1);
    tool_complain(words[1]);
    _exit(errno == ENOENT ? 127 : 126);
}

static int sh_own_umask(char **words)
{
    mode_t mask = words[1] ? (mode_t)strtoul(words[1], NULL, 8) : umask(0);

    umask(mask);
    if (!words[1])
        printf("%04o\n", (unsigned)mask);
    return 0;
}

static int sh_own_wait(char **words)
{
    int status = words[1] ? sh_wait(atoi(words[1])) : 0;

    while (!words[1] && sh_wait(-1) >= 0)
        ;
    return status < 0 ? 127 : status;
}

static int sh_own_kill(char **words)
{
    int signal = SIGTERM;

    if (words[1] && words[1][0] == '-')
        for (signal = atoi(words[1] + 1); signal == 0;)
            for (int i = 1; i < NSIG && signal == 0; i++)
                if (i == NSIG - 1 ||
                    (sigabbrev_np(i) && strcmp(sigabbrev_np(i), words[1] + 1) == 0))
                    signal = i;
    for (words += words[1] && words[1][0] == '-' ? 2 : 1; *words; words++)
        if (kill(atoi(*words), signal) != 0) {
            tool_complain(*words);
            return 1;
        }
    return 0;
}

/* -e, and parameters behind --. */
static int sh_own_set(char **words)
{
    char **parameters;
    int count = 0;

    if (words[1] && words[1][0] == '-' && words[1][1] != '-')
        sh.stop_on_error = sh.stop_on_error || strchr(words[1], 'e');
    if (!words[1] || strcmp(words[1], "--") != 0)
        return 0;
    while (words[2 + count])
        count++;
    parameters = calloc((size_t)count + 2, sizeof *parameters);
    if (!parameters)
        return 1;
    parameters[0] = sh.argv[0];
    for (int i = 0; i < count; i++)
        parameters[1 + i] = strdup(words[2 + i]);
    sh.argv = parameters;
    sh.argc = count + 1;
    return 0;
}

static int sh_own_pwd(char **words)
{
    char *here = getcwd(NULL, 0);

    (void)words;
    puts(here ? here : "");
    free(here);
    return here == NULL;
}

static int sh_own_sleep(char **words)
{
    double seconds = words[1] ? strtod(words[1], NULL) : 0;
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

    return nanosleep(&left, NULL) != 0;
}

static int sh_own_true(char **words)
{
    (void)words;
    return 0;
}

static int sh_own_false(char **words)
{
    (void)words;
    return 1;
}

/* A line into the first name. */
static int sh_own_read(char **words)
{
    char line[1024];
    size_t used = 0;
    ssize_t got;
    char c;

    while ((got = read(0, &c, 1)) == 1 && c != '\n')
        if (used < sizeof line - 1)
            line[used++] = c;
    line[used] = '\0';
    setenv(words[1] ? words[1] : "REPLY", line, 1);
    return got == 1 ? 0 : 1;
}

static bool sh_own_test_file(char what, const char *name)
{
    struct stat is;

    if (what == 'z' || what == 'n')
        return (*name == '\0') == (what == 'z');
    if (what == 'r' || what == 'w' || what == 'x')
        return access(name, what == 'r' ? R_OK : what == 'w' ? W_OK : X_OK) == 0;
    if (what == 't')
        return isatty(atoi(name));
    if ((what == 'L' || what == 'h' ? lstat(name, &is) : stat(name, &is)) != 0)
        return false;
    return what == 'e' || (what == 'f' && S_ISREG(is.st_mode)) ||
           (what == 'd' && S_ISDIR(is.st_mode)) || (what == 'p' && S_ISFIFO(is.st_mode)) ||
           (what == 's' && is.st_size > 0) || ((what == 'L' || what == 'h') && S_ISLNK(is.st_mode));
}

static bool sh_own_test_two(const char *left, const char *how, const char *right)
{
    static const char names[][4] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    long a = atol(left), b = atol(right);
    bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(how, names[i]) == 0)
            return results[i];
    return (strcmp(left, right) == 0) == (how[0] == '=');
}

/* One, two or three arguments, and ! before them. */
static int sh_own_test(char **words)
{
    bool bracket = strcmp(words[0], "[") == 0, denied = words[1] && strcmp(words[1], "!") == 0,
         holds = false;
    int count = 0;

    words += (denied ? 2 : 1);
    while (words[count])
        count++;
    count -= bracket && count > 0;
    if (count == 1)
        holds = words[0][0] != '\0';
    else if (count == 2)
        holds = sh_own_test_file(words[0][1], words[1]);
    else if (count == 3)
        holds = sh_own_test_two(words[0], words[1], words[2]);
    return holds == denied;
}

bool sh_own(const struct sh_words *words)
{
    static const struct {
        const char *name;
        int (*run)(char **words);
    } all[] = {{"cd", sh_own_cd},       {"exit", sh_own_exit},   {"export", sh_own_export},
               {"unset", sh_own_unset}, {"shift", sh_own_shift}, {"exec", sh_own_exec},
               {"umask", sh_own_umask}, {"wait", sh_own_wait},   {"kill", sh_own_kill},
               {"set", sh_own_set},     {"true", sh_own_true},   {":", sh_own_true},
               {"false", sh_own_false}, {"read", sh_own_read},   {"test", sh_own_test},
               {"[", sh_own_test},      {"pwd", sh_own_pwd},     {"sleep", sh_own_sleep}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(words->word[0], all[i].name) == 0) {
            sh.status = all[i].run(words->word);
            fflush(stdout);
            return true;
        }
    return false;
}
