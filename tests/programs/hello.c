/* SPDX-License-Identifier: BSD-2-Clause */
/* What every program does: starts, uses the heap and prints. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *text = malloc(100);

    snprintf(text, 100, "hello, %s", argc > 1 ? argv[1] : "nobody");
    printf("%s: %.3f\n", text, 22 / 7.0);
    free(text);
    return 0;
}
