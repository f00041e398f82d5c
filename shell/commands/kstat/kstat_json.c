/* SPDX-License-Identifier: BSD-2-Clause */
/* kstat_json: see kstat_json.h. */
#include "shell/commands/kstat/kstat_json.h"

#include "lib/string.h"

/* A JSON string. Bytes beyond ASCII are taken as those of Latin-1, so that any name is valid. */
static void put_string(struct kstat_json *json, const char *text, size_t length)
{
    shell_gather_put(&json->out, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];

        if (byte == '"' || byte == '\\')
            shell_gather_printf(&json->out, "\\%c", byte);
        else if (byte < ' ' || byte > '~')
            shell_gather_printf(&json->out, "\\u%04x", byte);
        else
            shell_gather_put(&json->out, text + i, 1);
    }
    shell_gather_put(&json->out, "\"", 1);
}

static void put_field(struct kstat_json *json, const char *name, const char *text)
{
    shell_gather_printf(&json->out, "\t\"%s\": ", name);
    put_string(json, text, strlen(text));
    shell_gather_printf(&json->out, ",\n");
}

void kstat_json_begin(struct kstat_json *json)
{
    shell_gather_printf(&json->out, "[");
}

void kstat_json_begin_kstat(struct kstat_json *json, const kstat_t *ksp)
{
    char time[32];
    struct kstat_statistic snaptime = {.kind = KSTAT_VALUE_TIME,
                                       .value.u = (uint64_t)ksp->ks_snaptime};

    kstat_text_value(time, sizeof(time), &snaptime);
    shell_gather_printf(&json->out, "%s{\n", json->has_kstat ? ", " : "");
    put_field(json, "module", ksp->ks_module);
    shell_gather_printf(&json->out, "\t\"instance\": %d,\n", ksp->ks_instance);
    put_field(json, "name", ksp->ks_name);
    put_field(json, "class", ksp->ks_class);
    shell_gather_printf(&json->out, "\t\"type\": %u,\n\t\"snaptime\": %s,\n\t\"data\": {",
                        ksp->ks_type, time);
    json->has_kstat = true;
    json->has_statistic = false;
}

void kstat_json_statistic(struct kstat_json *json, const struct kstat_statistic *statistic)
{
    char number[32];

    shell_gather_printf(&json->out, "%s\n\t\t", json->has_statistic ? "," : "");
    put_string(json, statistic->name, strlen(statistic->name));
    shell_gather_printf(&json->out, ": ");
    if (statistic->kind == KSTAT_VALUE_TEXT) {
        put_string(json, statistic->value.text.at, statistic->value.text.length);
    } else {
        kstat_text_value(number, sizeof(number), statistic);
        shell_gather_printf(&json->out, "%s", number);
    }
    json->has_statistic = true;
}

void kstat_json_end_kstat(struct kstat_json *json)
{
    shell_gather_printf(&json->out, "\n\t}\n}");
}

void kstat_json_end(struct kstat_json *json)
{
    shell_gather_printf(&json->out, "]\n");
    shell_gather_flush(&json->out);
}
