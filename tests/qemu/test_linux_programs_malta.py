# SPDX-License-Identifier: BSD-2-Clause
"""Programs of what Linux has on a Malta alone: their words are Linux' sources'."""

import linux_program
import pytest

pytestmark = pytest.mark.programs

# As Linux' arch/mips/kernel/syscall.c has it; 128 is SI_KERNEL.
SYSMIPS = """sysmips(SET, (unsigned long)&word, 0xfffffff0ul): 5 -
sysmips(SET, (unsigned long)&word, 7): -16 -
word: 7 -
sysmips(SET, (unsigned long)&word + 2, 7): -1 EINVAL
sysmips(SET, 0x100000, 7): -1 EFAULT
sysmips(SET, ~0ul << 20, 7): -1 EINVAL
sysmips(FLUSH, 0, 0): 0 -
sysmips(FIX, 4, 0): -1 EINVAL
sysmips(99, 0, 0): -1 EINVAL
load(): 0 -
sysmips(FIX, 0, 0): 0 -
SIGBUS, code 128, faults 1
child: exit 3
sysmips(FIX, 1, 0): 0 -
load(): 0 -
child: exit 0
load(): 0 -
sums[0] + sums[1] - 8 + word: 0 -
"""


def test_sysmips():
    """Words that are exchanged, -16 among them, and accesses that the kernel does not do."""
    assert linux_program.run("sysmips", "mips").text == SYSMIPS


# As Linux' do_fpe has it: causes that are enabled are cleared; FPE_FLTDIV is 3, FPE_FLTINV 7.
FLOAT_CAUSES = """signal 8 code 3 fcsr c00
quotient 7 fcsr c00
signal 8 code 7 fcsr c00
quotient 7 fcsr c00
"""


def test_causes_of_floating_point_traps():
    assert linux_program.run("float_causes", "mips").text == FLOAT_CAUSES
