/* SPDX-License-Identifier: BSD-2-Clause */
/* kstat_json: see kstat_json.h. */
#include "stats/read/kstat_json.h"

#include "lib/string.h"

static void kstat_json_put_number(struct kstat_json *json, enum kstat_value_kind kind,
                                  int64_t number)
{
    struct kstat_statistic value = {.kind = kind};
    char text[32];

    if (kind == KSTAT_VALUE_SIGNED)
        value.value.i = number;
    else
        value.value.u = (uint64_t)number;
    kstat_text_value(text, sizeof(text), &value);
    text_row_text(&json->row, text);
}

/* One byte inside a string. */
static void kstat_json_put_byte(struct text_row *row, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    const char code[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    const char quoted[] = {'\\', (char)byte};

    if (byte == '"' || byte == '\\')
        text_row_part(row, quoted, sizeof(quoted));
    else if (byte < ' ' || byte > '~')
        text_row_part(row, code, sizeof(code));
    else
        text_row_part(row, &quoted[1], 1);
}

/* A JSON string. Bytes beyond ASCII are taken as those of Latin-1, so that any name is valid. */
static void kstat_json_put_string(struct kstat_json *json, const char *text, size_t length)
{
    text_row_text(&json->row, "\"");
    for (size_t i = 0; i < length; i++)
        kstat_json_put_byte(&json->row, (unsigned char)text[i]);
    text_row_text(&json->row, "\"");
}

static void kstat_json_end_line(struct kstat_json *json)
{
    text_row_end(&json->row, json->row.put, json->row.arg);
}

static void kstat_json_put_name(struct kstat_json *json, const char *name)
{
    text_row_text(&json->row, "\t\"");
    text_row_text(&json->row, name);
    text_row_text(&json->row, "\": ");
}

static void kstat_json_end_field(struct kstat_json *json)
{
    text_row_text(&json->row, ",");
    kstat_json_end_line(json);
}

static void kstat_json_put_field(struct kstat_json *json, const char *name, const char *text)
{
    kstat_json_put_name(json, name);
    kstat_json_put_string(json, text, strlen(text));
    kstat_json_end_field(json);
}

static void kstat_json_put_number_field(struct kstat_json *json, const char *name,
                                        enum kstat_value_kind kind, int64_t number)
{
    kstat_json_put_name(json, name);
    kstat_json_put_number(json, kind, number);
    kstat_json_end_field(json);
}

void kstat_json_begin(struct kstat_json *json)
{
    text_row_text(&json->row, "[");
}

void kstat_json_begin_kstat(struct kstat_json *json, const kstat_t *ksp)
{
    text_row_text(&json->row, json->has_kstat ? ", {" : "{");
    kstat_json_end_line(json);
    kstat_json_put_field(json, "module", ksp->ks_module);
    kstat_json_put_number_field(json, "instance", KSTAT_VALUE_SIGNED, ksp->ks_instance);
    kstat_json_put_field(json, "name", ksp->ks_name);
    kstat_json_put_field(json, "class", ksp->ks_class);
    kstat_json_put_number_field(json, "type", KSTAT_VALUE_UNSIGNED, ksp->ks_type);
    kstat_json_put_number_field(json, "snaptime", KSTAT_VALUE_TIME, ksp->ks_snaptime);
    kstat_json_put_name(json, "data");
    text_row_text(&json->row, "{");
    json->has_kstat = true;
    json->has_statistic = false;
}

void kstat_json_statistic(struct kstat_json *json, const struct kstat_statistic *statistic)
{
    char number[32];

    if (json->has_statistic)
        text_row_text(&json->row, ",");
    kstat_json_end_line(json);
    text_row_text(&json->row, "\t\t");
    kstat_json_put_string(json, statistic->name, strlen(statistic->name));
    text_row_text(&json->row, ": ");
    if (statistic->kind == KSTAT_VALUE_TEXT) {
        kstat_json_put_string(json, statistic->value.text.at, statistic->value.text.length);
    } else {
        kstat_text_value(number, sizeof(number), statistic);
        text_row_text(&json->row, number);
    }
    json->has_statistic = true;
}

void kstat_json_end_kstat(struct kstat_json *json)
{
    kstat_json_end_line(json);
    text_row_text(&json->row, "\t}");
    kstat_json_end_line(json);
    text_row_text(&json->row, "}");
}

void kstat_json_end(struct kstat_json *json)
{
    text_row_text(&json->row, "]");
    kstat_json_end_line(json);
}
