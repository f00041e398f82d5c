#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Turns `nm -n` output of a kernel (standard input) into the assembly of its symbol table: 32-bit offsets from
# kernel_text_start, 32-bit offsets into the names, the names. See kernel/base/symbol.c.
exec awk '
function hex(s,    i, n) { n = 0; for (i = 9; i <= 16; i++) n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return n }
$3 == "kernel_text_start" { base = hex($1); started = 1; next }
$3 == "kernel_text_end" { started = 0 }
started && $2 ~ /^[tT]$/ && $3 !~ /^[.$]/ {
    at = hex($1) - base
    if (count && at == offset[count - 1]) next
    offset[count] = at; name[count++] = $3
}
END {
    print "    .section .symbols, \"a\""
    print "    .balign 4"
    print "    .globl symbol_count, symbol_offsets, symbol_names, symbol_text"
    print "symbol_count:\n    .4byte " count + 0
    print "symbol_offsets:"
    for (i = 0; i < count; i++) print "    .4byte " offset[i]
    print "symbol_names:"
    for (i = 0; i < count; i++) { print "    .4byte " length_so_far; length_so_far += length(name[i]) + 1 }
    print "symbol_text:"
    for (i = 0; i < count; i++) print "    .asciz \"" name[i] "\""
    if (!count) print "    .byte 0"
    print "    .section .note.GNU-stack, \"\", @progbits"
}'
