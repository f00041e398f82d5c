/* SPDX-License-Identifier: BSD-2-Clause */
/* How a thread enters user mode for the first time; from then on the vectors do it (vector.S). */
#include <machine/register.h>

    .set noreorder
    .set noat
    .section .text.vectors, "ax"

/* user_start(frame): a copy of the frame below this stack pointer, in one page. */
    .globl user_start
    .type user_start, @function
user_start:
    move a1, a0
    dsrl sp, sp, 9
    dsll sp, sp, 9
    daddiu sp, sp, -FRAME_SIZE
    move a0, sp
    jal memcpy
    li a2, FRAME_SIZE
    jal user_begin
    move a0, sp
    j vector_user_go
    nop
    .size user_start, . - user_start

    .section .note.GNU-stack, "", @progbits
