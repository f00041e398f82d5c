/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * matrix ORDER [N [TIMES]]: multiplies two matrices of N rows and columns, TIMES times, with its
 * three loops in the order that the letters say: i is the row of the product, j its column, k what
 * is summed over. All orders make the same N * N * N multiplications; docs/TUTORIAL.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int matrix_main(int argc, char **argv);

#define MOST  1024 /* rows */
#define ROWS  128
#define TIMES 1

static double *a, *b, *c;
static size_t n;

#define A(row, column) a[(row) * n + (column)]
#define B(row, column) b[(row) * n + (column)]
#define C(row, column) c[(row) * n + (column)]

/* A row times a column. */
static void multiply_ijk(void)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum += A(i, k) * B(k, j);
            C(i, j) += sum;
        }
}

/* A row times a number is added to a row. */
static void multiply_kij(void)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) {
            double factor = A(i, k);

            for (size_t j = 0; j < n; j++)
                C(i, j) += factor * B(k, j);
        }
}

/* A column times a number is added to a column. */
static void multiply_jki(void)
{
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < n; k++) {
            double factor = B(k, j);

            for (size_t i = 0; i < n; i++)
                C(i, j) += A(i, k) * factor;
        }
}

static const struct {
    const char *name;
    void (*multiply)(void);
} orders[] = {{"ijk", multiply_ijk}, {"kij", multiply_kij}, {"jki", multiply_jki}};

static double *matrix(void)
{
    double *made = aligned_alloc(4096, (n * n * sizeof *made + 4095) / 4096 * 4096);

    if (!made) {
        perror("matrix");
        exit(1);
    }
    for (size_t i = 0; i < n * n; i++)
        made[i] = (double)(i % 7);
    return made;
}

/* Of whole numbers below 2^53: the same in every order. */
static double checksum(void)
{
    double sum = 0;

    for (size_t i = 0; i < n * n; i++)
        sum += c[i] * (double)(i % 5);
    return sum;
}

static int usage(void)
{
    fprintf(stderr, "usage: matrix ijk|kij|jki [N [TIMES]]\n");
    return 2;
}

int matrix_main(int argc, char **argv)
{
    unsigned long times = argc > 3 ? strtoul(argv[3], NULL, 10) : TIMES;
    size_t which = 0;

    n = argc > 2 ? strtoul(argv[2], NULL, 10) : ROWS;
    while (argc > 1 && which < sizeof orders / sizeof *orders &&
           strcmp(argv[1], orders[which].name) != 0)
        which++;
    if (argc < 2 || argc > 4 || which == sizeof orders / sizeof *orders || n == 0 || n > MOST)
        return usage();
    a = matrix();
    b = matrix();
    c = matrix();
    memset(c, 0, n * n * sizeof *c);
    for (unsigned long i = 0; i < times; i++)
        orders[which].multiply();
    printf("matrix: %s multiplications %lu sum %.0f\n", argv[1], (unsigned long)(n * n * n) * times,
           checksum());
    return 0;
}

/* By itself; /bin has it in the same program as workload.c. */
__attribute__((weak)) int main(int argc, char **argv)
{
    return matrix_main(argc, argv);
}
