/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzing the lines of `kstat -p`: whatever the names and values are, the line parses back to them;
 * and any text that parses is printed and parsed again the same.
 */
#include "stats/read/kstat_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* The next bytes of the input, as a name that fits. */
static void take_name(const uint8_t **data, size_t *size, char *to, size_t limit)
{
    size_t length = *size > 0 ? **data % limit : 0;

    if (*size > 0) {
        ++*data;
        --*size;
    }
    if (length > *size)
        length = *size;
    memset(to, 0, limit);
    for (size_t i = 0; i < length; i++)
        to[i] = (*data)[i] != 0 ? (char)(*data)[i] : ':';
    *data += length;
    *size -= length;
}

static void check_line(const kstat_t *ksp, const struct kstat_statistic *statistic, unsigned flags)
{
    char line[8192];
    char value[4097];
    struct kstat_line back;
    size_t length = kstat_text_line(line, sizeof line, ksp, statistic, flags);

    require(length < sizeof line && strlen(line) == length, "length of the line");
    require(strpbrk(line, "\n\r") == NULL, "a line within a line");
    require(kstat_text_parse(line, length, flags, &back, value, sizeof value) == 0, "parses back");
    require(strcmp(back.module, ksp->ks_module) == 0, "module");
    require(back.instance == ksp->ks_instance, "instance");
    require(strcmp(back.name, ksp->ks_name) == 0, "name");
    require(strcmp(back.statistic, statistic->name) == 0, "statistic");
    require(back.has_value == ((flags & KSTAT_LINE_NAMES) == 0), "has a value");
    if (back.has_value && statistic->kind == KSTAT_VALUE_TEXT) {
        require(back.value_length == statistic->value.text.length, "length of the value");
        require(memcmp(value, statistic->value.text.at, back.value_length) == 0, "value");
    }
}

/* Text that may be no line at all. */
static void check_text(const char *text, size_t size, unsigned flags)
{
    char value[4097];
    struct kstat_line line;
    struct kstat_statistic statistic = {"", KSTAT_VALUE_TEXT, {.u = 0}};
    kstat_t ks = {0};

    if (kstat_text_parse(text, size, flags, &line, value, sizeof value) != 0)
        return;
    memcpy(ks.ks_module, line.module, sizeof line.module);
    ks.ks_instance = line.instance;
    memcpy(ks.ks_name, line.name, sizeof line.name);
    memcpy(statistic.name, line.statistic, sizeof line.statistic);
    statistic.value.text.at = value;
    statistic.value.text.length = line.value_length;
    check_line(&ks, &statistic, flags | (line.has_value ? 0 : KSTAT_LINE_NAMES));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kstat_t ks = {0};
    struct kstat_statistic statistic = {0};
    char value[17];
    unsigned flags;

    if (size < 6 || size > 1024)
        return 0;
    flags = data[0] % 4;
    check_text((const char *)data + 1, size - 1, flags & KSTAT_LINE_COLONS);
    memcpy(&ks.ks_instance, data + 1, sizeof ks.ks_instance);
    data += 5;
    size -= 5;
    take_name(&data, &size, ks.ks_module, KSTAT_STRLEN);
    take_name(&data, &size, ks.ks_name, KSTAT_STRLEN);
    take_name(&data, &size, statistic.name, KSTAT_STATISTIC_NAME);
    take_name(&data, &size, value, sizeof value);
    statistic.kind = KSTAT_VALUE_TEXT;
    statistic.value.text.at = value;
    statistic.value.text.length = strlen(value);
    check_line(&ks, &statistic, flags);
    statistic.kind = (enum kstat_value_kind)(size % 4);
    if (statistic.kind != KSTAT_VALUE_TEXT) {
        statistic.value.u = 0;
        memcpy(&statistic.value.u, data, size < 8 ? size : 8);
        check_line(&ks, &statistic, flags);
    }
    return 0;
}
