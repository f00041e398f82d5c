/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefixes, escapes, opcode, and the byte behind it, which is ModRM where there is one. */
#include "tools/qpmu/x86_code.h"

const char x86_one_byte[256 + 1] = "mmrr..??mmrr..?x"  /* 00 */
                                   "mmrr..??mmrr..??"  /* 10 */
                                   "mmrr..??mmrr..??"  /* 20 */
                                   "mmrr..??rrrr..??"  /* 30 */
                                   "................"  /* 40, REX, or of other code: inc dec */
                                   "uuuuuuuuoooooooo"  /* 50 */
                                   "???r????ururxxxx"  /* 60 */
                                   "cccccccccccccccc"  /* 70 */
                                   "xx?xrrmmwwrrwnrx"  /* 80 */
                                   "..........?.uo.."  /* 90 */
                                   "iissxxxx..xxxxxx"  /* a0 */
                                   "................"  /* b0 */
                                   "mmxxxxwwxoxxxx?x"  /* c0 */
                                   "mmmm???ixxxxxxxx"  /* d0 */
                                   "ccccppppxx?xpppp"  /* e0 */
                                   "?x?xx.xx..pp..xx"; /* f0 */

const char x86_two_byte[256 + 1] = "xxrr?xpxpp?x?n.r"   /* 00 */
                                   "rwrwrrrwnnnnnnnn"   /* 10 */
                                   "pppp????rwrwrrrr"   /* 20 */
                                   "xpxxxx?????????\?"  /* 30; 38 and 3a are escapes */
                                   "rrrrrrrrrrrrrrrr"   /* 40 */
                                   "nrrrrrrrrrrrrrrr"   /* 50 */
                                   "rrrrrrrrrrrrrrrr"   /* 60 */
                                   "rrrrrrr.??\?\?rrxw" /* 70 */
                                   "cccccccccccccccc"   /* 80 */
                                   "wwwwwwwwwwwwwwww"   /* 90 */
                                   "uoxrmm??uopmmmxr"   /* a0 */
                                   "mmrmrrrrrxxmrrrr"   /* b0 */
                                   "mmrwrnrx........"   /* c0 */
                                   "rrrrrrwnrrrrrrrr"   /* d0 */
                                   "rrrrrrrwrrrrrrrr"   /* e0 */
                                   "rrrrrrrsrrrrrrrx";  /* f0 */

const char x86_x87[8][8 + 1] = {"rrrrrrrr", "r?wwrrww", "rrrrrrrr", "rwww?r?w",
                                "rrrrrrrr", "rwwwr?ww", "rrrrrrrr", "rwwwrrww"};

static uint8_t next(struct x86_code *code)
{
    return code->at < code->length ? code->bytes[code->at++] : 0;
}

static bool is_prefix(uint8_t byte)
{
    return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 ||
           (byte & 0xe7) == 0x26 || byte == 0x64 || byte == 0x65;
}

static void read_vex(struct x86_code *code, uint8_t escape)
{
    static const uint8_t repeat[4] = {0, 0, 0xf3, 0xf2};
    uint8_t last = next(code);

    code->vex = true;
    code->map = 1;
    if (escape == 0xc4) {
        code->map = last & 31;
        last = next(code);
        code->wide = (last & 0x80) != 0;
    }
    code->repeat = repeat[last & 3];
    code->opcode = next(code);
}

/* Where the byte behind c4 or c5 is a ModRM of memory, outside of 64-bit code, it is les or lds. */
static bool is_vex(const struct x86_code *code, uint8_t byte)
{
    return (byte & 0xfe) == 0xc4 && (code->mode == QPMU_CODE_64 ||
                                     (code->at < code->length && code->bytes[code->at] >= 0xc0));
}

void x86_code_read(struct x86_code *code, const uint8_t *bytes, size_t length, enum qpmu_code mode)
{
    uint8_t byte;

    *code = (struct x86_code){.bytes = bytes, .length = length, .mode = mode};
    code->by_length = mode == QPMU_CODE_UNKNOWN;
    if (code->by_length)
        code->mode = mode = QPMU_CODE_64;
    byte = next(code);

    while (is_prefix(byte)) {
        if (byte == 0xf2 || byte == 0xf3)
            code->repeat = byte;
        code->operand16 |= byte == 0x66;
        byte = next(code);
    }
    code->operand16 ^= mode == QPMU_CODE_16;
    if ((byte & 0xf0) == 0x40 && mode == QPMU_CODE_64 && code->at < length) {
        code->rex = byte & 15;
        code->wide = (byte & 8) != 0;
        byte = next(code);
    }
    code->opcode = byte;
    if (is_vex(code, byte)) {
        read_vex(code, byte);
    } else if (byte == 0x0f) {
        code->map = 1;
        code->opcode = next(code);
        if (code->opcode == 0x38 || code->opcode == 0x3a) {
            code->map = code->opcode == 0x38 ? 2 : 3;
            code->opcode = next(code);
        }
    }
    code->behind = code->length - code->at;
    code->modrm = next(code);
}
