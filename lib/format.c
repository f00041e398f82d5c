/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format: see format.h. One loop copies literal text, reads a conversion into a struct spec, and
 * hands it to an integer or a text writer. It is not a full printf: there are no floats.
 */
#include "lib/format.h"

#include <stdbool.h>
#include <stdint.h>

enum length {
    LENGTH_CHAR,
    LENGTH_SHORT,
    LENGTH_INT,
    LENGTH_LONG,
    LENGTH_LONG_LONG,
    LENGTH_SIZE,
    LENGTH_MAX,
    LENGTH_DIFFERENCE,
};

struct spec {
    bool left, zero, plus, space, alternate;
    size_t width;
    bool has_precision;
    size_t precision;
    enum length length;
    char conversion;
};

struct output {
    format_put *put;
    void *arg;
    size_t total;
};

/* va_list may be an array type; inside a structure it can be passed by address everywhere. */
struct arguments {
    va_list list;
};

/* The longest number is 2^64-1 in octal: 22 digits. */
#define DIGITS_MAX 24

static void format_emit(struct output *out, const char *text, size_t length)
{
    if (length == 0)
        return;
    out->put(out->arg, text, length);
    out->total += length;
}

static void format_emit_repeated(struct output *out, char c, size_t count)
{
    static const char blanks[] = "                                ";
    static const char zeros[] = "00000000000000000000000000000000";
    const char *source = c == '0' ? zeros : blanks;

    while (count > 0) {
        size_t n = count < sizeof(blanks) - 1 ? count : sizeof(blanks) - 1;

        format_emit(out, source, n);
        count -= n;
    }
}

/* Digits are written backwards from end; the place of the first is returned. */
static char *format_digits_decimal(char *end, uint64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";

    while (value >= 100) {
        uint64_t quotient = value / 100;
        size_t pair = (size_t)(value - quotient * 100) * 2;

        *--end = pairs[pair + 1];
        *--end = pairs[pair];
        value = quotient;
    }
    if (value >= 10) {
        *--end = pairs[value * 2 + 1];
        *--end = pairs[value * 2];
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

static char *format_digits_power_of_two(char *end, uint64_t value, unsigned bits,
                                        const char *alphabet)
{
    do {
        *--end = alphabet[value & ((1u << bits) - 1)];
        value >>= bits;
    } while (value != 0);
    return end;
}

static void format_write_number(struct output *out, const struct spec *spec, uint64_t value,
                                const char *prefix, size_t prefix_length)
{
    char digits[DIGITS_MAX], *end = digits + sizeof(digits), *start;
    size_t count, zeros = 0, used, padding;

    if (spec->conversion == 'o')
        start = format_digits_power_of_two(end, value, 3, "01234567");
    else if (spec->conversion == 'x' || spec->conversion == 'p')
        start = format_digits_power_of_two(end, value, 4, "0123456789abcdef");
    else if (spec->conversion == 'X')
        start = format_digits_power_of_two(end, value, 4, "0123456789ABCDEF");
    else
        start = format_digits_decimal(end, value);

    count = (size_t)(end - start);
    if (value == 0 && spec->has_precision && spec->precision == 0)
        count = 0;
    if (spec->has_precision && spec->precision > count)
        zeros = spec->precision - count;
    if (spec->conversion == 'o' && spec->alternate && zeros == 0 && (count == 0 || *start != '0'))
        zeros = 1;
    used = prefix_length + zeros + count;
    padding = spec->width > used ? spec->width - used : 0;
    if (spec->zero && !spec->left && !spec->has_precision) {
        zeros += padding;
        padding = 0;
    }
    if (!spec->left)
        format_emit_repeated(out, ' ', padding);
    format_emit(out, prefix, prefix_length);
    format_emit_repeated(out, '0', zeros);
    format_emit(out, start, count);
    if (spec->left)
        format_emit_repeated(out, ' ', padding);
}

static void format_write_text(struct output *out, const struct spec *spec, const char *text,
                              size_t length)
{
    size_t padding = spec->width > length ? spec->width - length : 0;

    if (!spec->left)
        format_emit_repeated(out, ' ', padding);
    format_emit(out, text, length);
    if (spec->left)
        format_emit_repeated(out, ' ', padding);
}

static int64_t format_take_signed(struct arguments *args, enum length length)
{
    switch (length) {
    case LENGTH_CHAR:
        return (signed char)va_arg(args->list, int);
    case LENGTH_SHORT:
        return (short)va_arg(args->list, int);
    case LENGTH_LONG:
        return va_arg(args->list, long);
    case LENGTH_LONG_LONG:
        return va_arg(args->list, long long);
    case LENGTH_SIZE:
    case LENGTH_DIFFERENCE:
        return va_arg(args->list, ptrdiff_t);
    case LENGTH_MAX:
        return va_arg(args->list, intmax_t);
    case LENGTH_INT:
        break;
    }
    return va_arg(args->list, int);
}

static uint64_t format_take_unsigned(struct arguments *args, enum length length)
{
    switch (length) {
    case LENGTH_CHAR:
        return (unsigned char)va_arg(args->list, unsigned);
    case LENGTH_SHORT:
        return (unsigned short)va_arg(args->list, unsigned);
    case LENGTH_LONG:
        return va_arg(args->list, unsigned long);
    case LENGTH_LONG_LONG:
        return va_arg(args->list, unsigned long long);
    case LENGTH_SIZE:
    case LENGTH_DIFFERENCE:
        return va_arg(args->list, size_t);
    case LENGTH_MAX:
        return va_arg(args->list, uintmax_t);
    case LENGTH_INT:
        break;
    }
    return va_arg(args->list, unsigned);
}

static void format_write_signed(struct output *out, const struct spec *spec, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    if (value < 0)
        format_write_number(out, spec, magnitude, "-", 1);
    else if (spec->plus)
        format_write_number(out, spec, magnitude, "+", 1);
    else
        format_write_number(out, spec, magnitude, " ", spec->space ? 1 : 0);
}

static void format_write_string(struct output *out, const struct spec *spec, const char *text)
{
    size_t length = 0;

    if (text == NULL)
        text = "(null)";
    while ((!spec->has_precision || length < spec->precision) && text[length] != '\0')
        length++;
    format_write_text(out, spec, text, length);
}

/* A number in the format or, for `*`, from the arguments; true when that argument was negative. */
static bool format_read_number(const char **fmt, struct arguments *args, size_t *number)
{
    *number = 0;
    if (**fmt == '*') {
        int value = va_arg(args->list, int);

        (*fmt)++;
        *number = value < 0 ? 0 - (size_t)value : (size_t)value;
        return value < 0;
    }
    while (**fmt >= '0' && **fmt <= '9')
        *number = *number * 10 + (size_t)(*(*fmt)++ - '0');
    return false;
}

static const char *format_read_length(const char *fmt, struct spec *spec)
{
    spec->length = LENGTH_INT;
    switch (*fmt) {
    case 'h':
        spec->length = fmt[1] == 'h' ? LENGTH_CHAR : LENGTH_SHORT;
        return fmt + (fmt[1] == 'h' ? 2 : 1);
    case 'l':
        spec->length = fmt[1] == 'l' ? LENGTH_LONG_LONG : LENGTH_LONG;
        return fmt + (fmt[1] == 'l' ? 2 : 1);
    case 'z':
        spec->length = LENGTH_SIZE;
        return fmt + 1;
    case 'j':
        spec->length = LENGTH_MAX;
        return fmt + 1;
    case 't':
        spec->length = LENGTH_DIFFERENCE;
        return fmt + 1;
    default:
        return fmt;
    }
}

/* fmt points behind the `%`; returns the place behind the conversion letter. */
static const char *format_read_spec(const char *fmt, struct arguments *args, struct spec *spec)
{
    *spec = (struct spec){.length = LENGTH_INT};
    for (;; fmt++) {
        if (*fmt == '-')
            spec->left = true;
        else if (*fmt == '0')
            spec->zero = true;
        else if (*fmt == '+')
            spec->plus = true;
        else if (*fmt == ' ')
            spec->space = true;
        else if (*fmt == '#')
            spec->alternate = true;
        else
            break;
    }
    if (format_read_number(&fmt, args, &spec->width))
        spec->left = true;
    if (*fmt == '.') {
        fmt++;
        spec->has_precision = !format_read_number(&fmt, args, &spec->precision);
    }
    fmt = format_read_length(fmt, spec);
    spec->conversion = *fmt;
    return *fmt == '\0' ? fmt : fmt + 1;
}

/* False for a conversion this file does not know. */
static bool format_write_conversion(struct output *out, struct spec *spec, struct arguments *args)
{
    uint64_t value;
    char c;

    switch (spec->conversion) {
    case 'd':
    case 'i':
        format_write_signed(out, spec, format_take_signed(args, spec->length));
        return true;
    case 'u':
    case 'o':
        format_write_number(out, spec, format_take_unsigned(args, spec->length), "", 0);
        return true;
    case 'x':
    case 'X':
        value = format_take_unsigned(args, spec->length);
        format_write_number(out, spec, value, spec->conversion == 'x' ? "0x" : "0X",
                            spec->alternate && value != 0 ? 2 : 0);
        return true;
    case 'p':
        format_write_number(out, spec, (uintptr_t)va_arg(args->list, void *), "0x", 2);
        return true;
    case 'c':
        c = (char)va_arg(args->list, int);
        format_write_text(out, spec, &c, 1);
        return true;
    case 's':
        format_write_string(out, spec, va_arg(args->list, const char *));
        return true;
    case '%':
        format_emit(out, "%", 1);
        return true;
    default:
        return false;
    }
}

size_t format_to(format_put *put, void *arg, const char *fmt, va_list list)
{
    struct output out = {.put = put, .arg = arg};
    struct arguments args;
    struct spec spec;

    va_copy(args.list, list);
    while (*fmt != '\0') {
        const char *start = fmt;

        while (*fmt != '\0' && *fmt != '%')
            fmt++;
        format_emit(&out, start, (size_t)(fmt - start));
        if (*fmt == '\0')
            break;
        start = fmt;
        fmt = format_read_spec(fmt + 1, &args, &spec);
        if (!format_write_conversion(&out, &spec, &args))
            format_emit(&out, start, (size_t)(fmt - start));
    }
    va_end(args.list);
    return out.total;
}

struct buffer {
    char *text;
    size_t room;
};

static void format_put_in_buffer(void *arg, const char *text, size_t length)
{
    struct buffer *buffer = arg;
    size_t n = length < buffer->room ? length : buffer->room;

    char *to = buffer->text;

    buffer->room -= n;
    buffer->text += n;
    while (n-- > 0)
        *to++ = *text++;
}

size_t vformat(char *buf, size_t size, const char *fmt, va_list args)
{
    struct buffer buffer = {.text = buf, .room = size > 0 ? size - 1 : 0};
    size_t total = format_to(format_put_in_buffer, &buffer, fmt, args);

    if (size > 0)
        *buffer.text = '\0';
    return total;
}

size_t format(char *buf, size_t size, const char *fmt, ...)
{
    va_list args;
    size_t total;

    va_start(args, fmt);
    total = vformat(buf, size, fmt, args);
    va_end(args);
    return total;
}
