# SPDX-License-Identifier: BSD-2-Clause
"""kvm-unit-tests' own tests of an Intel PMU, which know nothing of qpmu. KVM_UNIT_TESTS names where they were built
(./configure --arch=x86_64 && make x86/pmu.flat)."""

import os
import pathlib
import re
import subprocess

import pytest

import linux_guest
import probe

BUILT = os.environ.get("KVM_UNIT_TESTS")
# Only with these does QEMU's time stamp counter go with its instructions, as the reference cycles do.
WAYS = {"plain": [], "icount": ["-icount", "shift=0,sleep=off"]}
BY_THE_HOSTS_CLOCK = {"ref cycles", "all counters"}

pytestmark = pytest.mark.skipif(not BUILT, reason="KVM_UNIT_TESTS names no built kvm-unit-tests")


@pytest.mark.timeout(linux_guest.PATIENCE)
@pytest.mark.parametrize("way", WAYS)
def test_pmu(way):
    reason = probe.transparent("qemu-system-x86_64")
    if reason:
        pytest.skip(reason)
    command = ["qemu-system-x86_64", "-nodefaults", "-display", "none", "-serial", "stdio", "-m", "256", "-cpu", "Skylake-Client"]
    command += ["-object", "memory-backend-memfd,id=ram,size=256M", "-M", "pc,memory-backend=ram", "-plugin", linux_guest.PLUGIN]
    command += ["-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-kernel", pathlib.Path(BUILT) / "x86" / "pmu.flat"]
    done = subprocess.run(
        [*command, *WAYS[way]], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=linux_guest.PATIENCE, check=False
    )
    told = re.findall(r"^(PASS|FAIL|SKIP): (?:Intel: )?(?:full-width writes: )?(?!\d+ <=)(.*?)(?:-\d+)?$", done.stdout, re.M)
    summary = re.search(r"^SUMMARY: (\d+) tests", done.stdout, re.M)
    assert summary and len(told) == int(summary[1]) >= 143, (done.stdout[-2000:], done.stderr[-1000:])
    failed = {name for how, name in told if how != "PASS"}
    assert failed <= (BY_THE_HOSTS_CLOCK if way == "plain" else set()), done.stdout
