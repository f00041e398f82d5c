/* SPDX-License-Identifier: BSD-2-Clause */
/* What a C library leaves to /bin/sh, and to the files of users: system, popen, scripts, getpwuid.
 */
#include "conform.h"

static void run(const char *command)
{
    int status = system(command);

    SAY("%s: %s %d\n", command, WIFSIGNALED(status) ? "signal" : "exit",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void statuses(void)
{
    TEST(system(NULL) != 0);
    run("exit 3");
    run("true");
    run("false");
    run("! true");
    run("nosuchcommand 2>/dev/null");
    run("./folder 2>/dev/null");
    run("kill -9 $$");
    run("sh -c 'kill -9 $$'; exit $?");
    run("(exit 4); test $? -eq 4");
    run("true && false || exit 5");
    run("false && exit 6");
    run("if false; then exit 1; elif true; then exit 2; else exit 3; fi");
    run("exec sh -c 'exit 9'");
    run("sleep 0.01 & wait $!");
    run("");
}

static void words(void)
{
    run("echo a  b \"a  b\" 'c  $HOME' \\$d");
    run("X=5; echo $X ${X} ${NOSUCH:-default} \"${X}y\" $?");
    run("X=a\\ b; echo $X \"$X\"");
    run("echo $(echo one; echo two) \"$(echo three)\" `echo four`");
    run("echo fi* 'fi*' nosuch*");
    run("set -- p 'q r'; echo $# $1; for i in \"$@\"; do echo \"<$i>\"; done; shift; echo $1");
    run("V=seen sh -c 'echo $V $# $0 $1' name one");
}

static void files(void)
{
    run("echo one > file1; echo two >> file1; cat < file1");
    run("cat file1 file1 | sort | head -n 2");
    run("{ echo x; echo y; } > file2; while read line; do echo \"[$line]\"; done < file2");
    run("cat nosuch 2>&1 | grep -c nosuch");
    run("echo out 2>&1 >/dev/null");
    run("exec 3>file2; echo three >&3; exec 3>&-; cat file2");
    run("(cd folder && test -d ../folder && cat ../file1)");
    run("n=; until [ \"$n\" = xx ]; do n=x$n; done; echo $n");
    run("for f in file*; do test -s $f && echo $f; done; test -e nosuch || echo none");
    run("rm file1 file2");
}

static void pipes(void)
{
    FILE *from = popen("echo popped; exit 3", "r"), *to;
    char line[64] = "";
    int status;

    TEST(from && fgets(line, sizeof line, from) != NULL);
    if (!from)
        return; /* there is no shell at all */
    SAY("%s", line);
    TEST(WEXITSTATUS(status = pclose(from)));
    to = popen("cat | sort", "w");
    fputs("b\na\n", to);
    TEST(pclose(to));
}

static void scripts(void)
{
    conform_make("script", "#!/bin/sh\n# says what it is called with\necho \"$# $1\"\nexit 8\n");
    TEST(chmod("script", 0755));
    CHILD(execl("./script", "script", "argument", NULL));
    CHILD(execlp("./script", "script", NULL));
    conform_make("script", "echo plain $1\n");
    CHILD(execlp("./script", "script", "words", NULL)); /* ENOEXEC: the shell's */
    TEST(unlink("script"));
}

int main(void)
{
    conform_begin();
    setenv("PATH", "/bin:/usr/bin", 1);
    TEST(mkdir("folder", 0755));
    statuses();
    words();
    files();
    pipes();
    scripts();
    TEST(rmdir("folder"));
    return conform_end(0);
}
