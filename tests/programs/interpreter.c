/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interpreter: runs the program on standard input, of a language of one-letter variables:
 *
 *   v = E       ? E (prints it)       w E { ... } (while)       i E { ... } (if)
 *
 * E has numbers, variables, + - * / % < = and parentheses, all of one rank, from left to right.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char program[65536];
static const char *at;
static int64_t variables[26];

static void bad(const char *what)
{
    fprintf(stderr, "interpreter: %s at byte %ld\n", what, (long)(at - program));
    exit(1);
}

static void space(void)
{
    while (isspace((unsigned char)*at))
        at++;
}

static int64_t expression(void);

static int64_t operand(void)
{
    int64_t value;
    char *end;

    space();
    if (*at == '(') {
        at++;
        value = expression();
        space();
        if (*at++ != ')')
            bad("no )");
        return value;
    }
    if (islower((unsigned char)*at))
        return variables[*at++ - 'a'];
    value = strtoll(at, &end, 10);
    if (end == at)
        bad("no value");
    at = end;
    return value;
}

static int64_t applied(char operation, int64_t a, int64_t b)
{
    if ((operation == '/' || operation == '%') && b == 0)
        bad("division by 0");
    switch (operation) {
    case '+':
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case '-':
        return (int64_t)((uint64_t)a - (uint64_t)b);
    case '*':
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case '/':
        return a / b;
    case '%':
        return a % b;
    case '<':
        return a < b;
    default:
        return a == b;
    }
}

static int64_t expression(void)
{
    int64_t value = operand();

    for (;;) {
        space();
        if (*at == '\0' || !strchr("+-*/%<=", *at))
            return value;
        char operation = *at++;

        value = applied(operation, value, operand());
    }
}

/* Beyond the } of the block whose { was taken. */
static void skip(void)
{
    for (int open = 1; open > 0; at++) {
        if (*at == '\0')
            bad("no }");
        open += *at == '{' ? 1 : *at == '}' ? -1 : 0;
    }
}

static void block(char end);

/* `w E { ... }` or `i E { ... }`, behind its letter. */
static void branch(int again)
{
    const char *begin = at;

    for (;;) {
        int64_t value = expression();

        if (*at++ != '{')
            bad("no {");
        if (value == 0) {
            skip();
            return;
        }
        block('}');
        if (!again)
            return;
        at = begin;
    }
}

static void assign(void)
{
    char name = *at++;

    space();
    if (!islower((unsigned char)name) || *at++ != '=')
        bad("no statement");
    variables[name - 'a'] = expression();
}

static void block(char end)
{
    for (space(); *at != end; space()) {
        if (*at == '\0')
            bad("no }");
        if (*at == '?') {
            at++;
            printf("%lld\n", (long long)expression());
        } else if ((*at == 'w' || *at == 'i') && at[1] == ' ' && at[2] != '=') {
            branch(*at++ == 'w');
        } else {
            assign();
        }
    }
    at++;
}

int main(void)
{
    fread(program, 1, sizeof program - 1, stdin);
    at = program;
    block('\0');
    return 0;
}
