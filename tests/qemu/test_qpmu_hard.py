# SPDX-License-Identifier: BSD-2-Clause
"""The plugin qpmu where counting is hard: faults, traps and changed code in the middle of blocks, strings, modes.

Each guest (tests/qemu/qpmu/ARCH_TOPIC.c) prints lines "NAME COUNT... = COUNT...": what was counted, and what a person has
worked out for that piece of code, which stands beside it.
"""

import functools
import re

import pytest

import qemu
from test_qpmu import BOARDS, PLUGIN, SOURCES, boot, build

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="build/plugins/qpmu.so is not built")

TOPICS = {
    "x86_64": ["faults", "traps", "code", "strings", "modes"],
    "mips": ["faults", "modes", "code"],
}
# Where the kernel is, which QEMU 7.2 and 8.2 must know. The others are in one mode.
FLAGS = {("x86_64", "modes"): ["-DKERNEL=HIGH"]}


# 0, less what MEASURE takes off.
REFUSED = "refused 18446744073709551612 0 = 18446744073709551612 0"


def version(arch):
    """QEMU's, as (major, minor)."""
    return qemu.version(BOARDS[arch][0])


WAYS = {
    "plain": lambda arch: [],
    "icount": lambda arch: ["-icount", "shift=1,sleep=off"],
    "one": lambda arch: qemu.singlestep(BOARDS[arch][0]),
}

# What the plugin cannot know, by topic: {way or "": names}. docs/QPMU.md, "Exactness", says why.
UNDEFINED = "return_bad iret_bad undefined_32 undefined_lock undefined_form rdpmc".split()
UNKNOWN = {
    ("x86_64", "faults"): {"": UNDEFINED, "one": ["divide_memory", "segment", "task"]},
    ("x86_64", "traps"): {"": ["step_divide"]},
    ("mips", "faults"): {"": ["likely_trap", "likely_call"], "one": ["conditional"]},
}
# Neither where QEMU tells of exceptions.
NEVER_KNOWN = {("x86_64", "modes"): ["interrupt_forbidden"]}


def told(arch):
    """Whether QEMU tells the plugin of exceptions."""
    return version(arch) >= (10, 2)


def unknown(arch, topic, way):
    names, old = list(NEVER_KNOWN.get((arch, topic), [])), UNKNOWN.get((arch, topic), {})
    if not told(arch):
        names += old.get("", []) + old.get(way, [])
    if (arch, topic) == ("x86_64", "faults") and (9, 0) <= version(arch) and not told(arch):
        names.append("x87_off")  # here QEMU knows it at translation, and ends the block
    wrong = {(one, name) for name in names for one in ("0", "1")}
    return wrong


def check(arch, topic, lines, right_wrong=frozenset()):
    """All cases of the source are there in each pass, and the counts are right."""
    source = (SOURCES / f"{arch}_{topic}.c".replace("_.", ".")).read_text()
    names = [name for name in re.findall(r'^\s+(?:[A-Z_]+|tell)\("(\w+)",', source, re.M) if name != "refused"]
    assert lines[0] == "magic 1" and lines[-1] == "end 0"
    wrong, seen, number = {}, {}, ""
    for line in lines[1:-1]:
        if line.startswith("pass "):
            number = line.split()[1]
            continue
        name, *counts = line.replace(" = ", " ").split()
        seen.setdefault(number, set()).add(name)
        half = len(counts) // 2
        if counts[:half] != counts[half:]:
            wrong[number, name] = line
    assert names and seen and all(found >= set(names) for found in seen.values())
    assert set(wrong) == set(right_wrong), "\n".join(wrong.values())


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """The guests, each built once."""
    folder = tmp_path_factory.mktemp("qpmu-hard")

    @functools.cache
    def kernel(arch, topic):
        name = f"{arch}_{topic}"
        return build(arch, SOURCES / f"{name}.c", folder / name, *FLAGS.get((arch, topic), []))

    return kernel


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("arch,topic", [(arch, topic) for arch, topics in TOPICS.items() for topic in topics])
def test_counts_are_exact(arch, topic, way, kernels):
    check(arch, topic, boot(arch, kernels(arch, topic), *WAYS[way](arch)), unknown(arch, topic, way))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("topic", ["faults", "traps", "code", "strings"])
def test_instructions_alone_are_exact(topic, way, tmp_path):
    """No other event is counted, so that a block has no more to do than add them up; both counters are of them."""
    kernel = build("x86_64", SOURCES / f"x86_64_{topic}.c", tmp_path / "kernel", "-DBRANCHES=0x00c0")
    lines = boot("x86_64", kernel, *WAYS[way]("x86_64"))
    first = [re.sub(r"^(\w+ \d+) \d+ = (\d+) \d+$", r"\1 = \2", line) for line in lines]
    check("x86_64", topic, first, unknown("x86_64", topic, way))


@pytest.mark.parametrize("kernel,user", [("0", "0"), ("0", "HIGH"), ("HIGH", "HIGH")])
def test_modes_without_halves(kernel, user, tmp_path):
    """Kernel and users anywhere: known where registers can be read (9.0 and later), else refused."""
    image = build("x86_64", SOURCES / "x86_64_modes.c", tmp_path / "kernel", f"-DKERNEL={kernel}", f"-DUSER={user}", "-DANY")
    lines = boot("x86_64", image)
    if version("x86_64") < (9, 0):
        assert [line for line in lines if " = " in line] == 2 * [REFUSED]
    else:
        check("x86_64", "modes", lines, unknown("x86_64", "modes", ""))


@pytest.mark.parametrize("way", WAYS)
def test_code_that_is_not_64_bit(way, tmp_path):
    """Read where registers can be, else told by lengths: a kernel of 32-bit code, and a piece in real mode."""
    lines = boot("x86_64", build("x86_64", SOURCES / "x86_32.c", tmp_path / "kernel", "-m32"), *WAYS[way]("x86_64"))
    check("x86_32", "", lines)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("topic", TOPICS["x86_64"])
def test_counts_are_exact_with_several_cpus(topic, way, kernels):
    lines = boot("x86_64", kernels("x86_64", topic), "-smp", "4", *WAYS[way]("x86_64"))
    check("x86_64", topic, lines, unknown("x86_64", topic, way))


# How the threads of several CPUs relate. Not -icount on a Malta: a CPU that waits there takes its whole turn, and it would last.
TOGETHER = {
    "multi": lambda arch: ["-accel", "tcg,thread=multi"],
    "single": lambda arch: ["-accel", "tcg,thread=single"],
    "full": lambda arch: ["-accel", "tcg,thread=multi,tb-size=1"],
    "icount": WAYS["icount"],
    "one": WAYS["one"],
}
# Where each CPU of a Malta, which all begin at the reset vector, sets the same GT-64120's windows beside the others. QEMU's
# 7.2 (with the plugin and without: once in hundreds of boots) looks a device up in a map that another thread has replaced,
# and says itself that its MIPS is "not yet converted to MTTCG".
MAPPED_AT_ONCE = ("multi", "full")


@pytest.mark.parametrize(
    "arch,way", [(arch, way) for arch in TOPICS for way in TOGETHER if (arch, way) != ("mips", "icount")]
)
def test_cpus_measure_at_the_same_time(arch, way, tmp_path):
    """Each has its own loop and its own count; in the second pass they also change what the others' code is made for."""
    if arch == "mips" and way in MAPPED_AT_ONCE and version(arch) < (8, 2):
        pytest.skip("QEMU before 8.2 can crash where CPUs of several threads change the memory map, as a Malta's boot code does")
    kernel = build(arch, SOURCES / f"{arch}_cpus.c", tmp_path / "kernel", "-DCPUS=4")
    lines = boot(arch, kernel, "-smp", "4", *TOGETHER[way](arch))
    counts = [line.split(" = ") for line in lines if " = " in line]
    assert lines[0] == "magic 1" and lines[-1] == "end 0" and len(counts) == 16
    assert [got for got, right in counts if got.split(" ", 1)[1] != right] == []
