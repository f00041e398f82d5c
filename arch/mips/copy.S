/* SPDX-License-Identifier: BSD-2-Clause */
/* Copying from and to a user's pages: see <arch/copy.h>. Only registers that interrupts save. */
#include <machine/register.h>

/* A fault AT goes on at GO_ON. */
    .macro fixup at, go_on
    .pushsection link_set_trap_fixups, "a"
    .dword \at, \go_on
    .popsection
    .endm

    .set noreorder
    .set noat
    .text
    .globl copy_guarded, copy_string_guarded, copy_swap_guarded
    .type copy_guarded, @function
copy_guarded:
    or v0, a0, a1
    andi v0, v0, 7
    bnez v0, 5f
    sltiu v1, a2, 8
1:  bnez v1, 5f
    nop
2:  ld v0, 0(a1)
    daddiu a1, a1, 8
3:  sd v0, 0(a0)
    daddiu a0, a0, 8
    daddiu a2, a2, -8
    b 1b
    sltiu v1, a2, 8
5:  beqz a2, 8f
    nop
6:  lb v0, 0(a1)
    daddiu a1, a1, 1
7:  sb v0, 0(a0)
    daddiu a0, a0, 1
    b 5b
    daddiu a2, a2, -1
8:  jr ra
    move v0, a2
    fixup 2b, 8b
    fixup 3b, 8b
    fixup 6b, 8b
    fixup 7b, 8b
    .size copy_guarded, . - copy_guarded

    .type copy_string_guarded, @function
copy_string_guarded:
    move v0, zero
1:  beq v0, a2, 3f
    daddu v1, a1, v0
2:  lb v1, 0(v1)
    daddu a3, a0, v0
    sb v1, 0(a3)
    bnez v1, 1b
    daddiu v0, v0, 1
    jr ra
    nop
3:  jr ra
    move v0, zero
4:  jr ra
    li v0, -1
    fixup 2b, 4b
    .size copy_string_guarded, . - copy_string_guarded

    .type copy_swap_guarded, @function
copy_swap_guarded:
    sll a1, a1, 0
1:  ll v0, 0(a0)
    bne v0, a1, 3f
    move v1, a2
2:  sc v1, 0(a0)
    beqz v1, 1b
    nop
3:  dsll32 v0, v0, 0            /* without a sign */
    jr ra
    dsrl32 v0, v0, 0
4:  jr ra
    li v0, -1
    fixup 1b, 4b
    fixup 2b, 4b
    .size copy_swap_guarded, . - copy_swap_guarded

    .section .note.GNU-stack, "", @progbits
