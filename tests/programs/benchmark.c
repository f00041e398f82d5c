/* SPDX-License-Identifier: BSD-2-Clause */
/* benchmark N: N rounds of what programs mostly do, and a sum of each kind's results. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 500
#define SIDE  24

static uint32_t next_random(void)
{
    static uint32_t state = 1;

    return state = state * 1664525 + 1013904223;
}

struct node {
    struct node *next;
    uint32_t key;
};

/* Lists: built, turned round, searched. */
static uint32_t lists(void)
{
    static struct node nodes[NODES];
    struct node *head = NULL, *turned = NULL;
    uint32_t sum = 0;

    for (int i = 0; i < NODES; i++) {
        nodes[i] = (struct node){head, next_random() % 1000};
        head = &nodes[i];
    }
    while (head) {
        struct node *node = head;

        head = node->next;
        node->next = turned;
        turned = node;
    }
    for (uint32_t key = 0; key < 20; key++)
        for (struct node *node = turned; node; node = node->next)
            sum += node->key == key ? 17 : 1;
    return sum;
}

/* Matrices of whole numbers. */
static uint32_t matrices(void)
{
    static int32_t a[SIDE][SIDE], b[SIDE][SIDE];
    uint32_t sum = 0;

    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i / SIDE][i % SIDE] = (int16_t)next_random();
        b[i % SIDE][i / SIDE] = (int16_t)(next_random() >> 16);
    }
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            int64_t cell = 0;

            for (int k = 0; k < SIDE; k++)
                cell += (int64_t)a[row][k] * b[k][column];
            sum = sum * 31 + (uint32_t)(cell >> 3);
        }
    return sum;
}

static uint32_t check_sum(const char *text, size_t length)
{
    uint32_t sum = ~0u;

    for (size_t i = 0; i < length; i++) {
        sum ^= (uint8_t)text[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return ~sum;
}

/* Text: numbers of three kinds are written and told apart again. */
static uint32_t text(void)
{
    char line[64];
    uint32_t whole = 0, broken = 0, hex = 0, sum = 0;

    for (int i = 0; i < 60; i++) {
        uint32_t value = next_random();
        const char *formats[] = {"%u", "%u.5", "0x%x"};
        int length = snprintf(line, sizeof line, formats[value % 3], value >> 4);

        if (strncmp(line, "0x", 2) == 0)
            hex++;
        else if (strchr(line, '.'))
            broken++;
        else
            whole++;
        sum ^= check_sum(line, (size_t)length);
    }
    return sum + whole * 3 + broken * 5 + hex * 7;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static uint32_t sorting(void)
{
    uint32_t *values = malloc(NODES * sizeof *values), sum = 0;

    for (int i = 0; i < NODES; i++)
        values[i] = next_random();
    qsort(values, NODES, sizeof *values, by_value);
    for (int i = 0; i < NODES; i++)
        sum = sum * 33 + values[i];
    free(values);
    return sum;
}

/* Only operations whose results are the same wherever doubles are IEEE 754's. */
static uint32_t doubles(void)
{
    double value = next_random() % 100 + 0.5, sum = 0;

    for (int i = 1; i < 400; i++) {
        value = value * 0.75 + 1.0 / i;
        sum += value / (i + 0.25) - (double)(i % 7);
    }
    return (uint32_t)(int32_t)(sum * 1024);
}

static const struct {
    const char *name;
    uint32_t (*run)(void);
} kinds[] = {{"lists", lists},
             {"matrices", matrices},
             {"text", text},
             {"sorting", sorting},
             {"doubles", doubles}};
#define KINDS (sizeof kinds / sizeof kinds[0])

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 10;
    uint32_t sums[KINDS] = {0};

    for (long round = 0; round < rounds; round++)
        for (size_t kind = 0; kind < KINDS; kind++)
            sums[kind] = sums[kind] * 7 + kinds[kind].run();
    for (size_t kind = 0; kind < KINDS; kind++)
        printf("%s %08x\n", kinds[kind].name, (unsigned)sums[kind]);
    return 0;
}
