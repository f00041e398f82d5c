# SPDX-License-Identifier: BSD-2-Clause
"""./quipu profile from end to end: the profile of work of known proportion, its picture, and what goes wrong."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

import flame
import guest
import vmstat_layout

# Of four turns of the same loop three are in the first function (tests/kernel/profile_work.c).
MORE, LESS = "profile_more", "profile_less"


def profile(arch, command, *arguments):
    return guest.launch("profile", *guest.image(f"{command} {arguments}"), "--arch", arch, "-c", command, *arguments)


def table(text):
    """{function: (own samples, percent of all that are in it or below)}"""
    lines = text.splitlines()
    heading = next(i for i, line in enumerate(lines) if line.split() == ["self", "total", "samples", "function"])
    rows = (line.split(maxsplit=3) for line in lines[heading + 1 : -1])
    return {row[3]: (int(row[2]), float(row[1].rstrip("%"))) for row in rows if len(row) == 4 and row[0] != "..."}


def share(found):
    """The first function's part of both, in percent."""
    return 100 * found[MORE][0] / (found[MORE][0] + found[LESS][0])


@pytest.mark.parametrize("event", ["instructions,149993", "cycles,149993", "instructions:k,99991"])
@pytest.mark.parametrize("more", [[], ["--deterministic"]], ids=["", "deterministic"])
def test_three_to_one(arch, event, more):
    result = profile(arch, "selftest profile-work", "-e", event, *more)
    assert result.status == 0, result.said
    assert "profile-work ok" in result.text
    if more:  # else it depends on the host how soon samples are taken away
        assert re.search(r"^\toverflow 0$", result.text, re.M)
    found = table(result.text)
    assert found[MORE][0] + found[LESS][0] >= 300
    assert 73 <= share(found) <= 77, found


def counts(result):
    """tprof's statistics."""
    return {name: int(number) for name, number in re.findall(r"^\t(\w+) (\d+)$", result.text, re.M)}


def lost(result):
    return sum(counts(result)[name] for name in ("overflow", "dropbuf_sample", "lost"))


@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("more", [[], ["--deterministic"]], ids=["", "deterministic"])
def test_short_periods(arch, cpus, more):
    """At 10,007 no sample is lost, at 1,000 few are (how few is up to the host, unless the clock is the instructions'), and the
    shares are right. To a part in a hundred where the host's clock has no say; interrupts, which a sample may bring, move the samples that follow it about."""
    if cpus > 1 and arch == "mips":
        pytest.skip("one CPU")
    for period, allowed in (10007, 0), (1000, 0.05 if more else 0.1):
        result = profile(arch, "selftest profile-work", "-e", f"instructions,{period}", "--cpus", cpus, *more)
        assert result.status == 0, result.said
        assert lost(result) <= allowed * (lost(result) + counts(result)["sample"]), counts(result)
        found = table(result.text)
        assert found[MORE][0] + found[LESS][0] >= 47000000 / period
        assert abs(share(found) - 75) <= (1 if more or period == 1000 else 2), found


@pytest.fixture
def late_main_loop(tmp_path, monkeypatch):
    """What interrupts the guest is late: a QEMU whose main loop has to wait for the host, before the others in PATH."""
    library = tmp_path / "late.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", library, guest.ROOT / "tests/qemu/qpmu/late_main_loop.c"], check=True)
    for name in "qemu-system-x86_64", "qemu-system-mips64":
        wrapper = tmp_path / name
        wrapper.write_text(f"#!/bin/sh\nLD_PRELOAD={library} exec {shutil.which(name)} \"$@\"\n")
        wrapper.chmod(0o755)
    real = guest.environment()
    monkeypatch.setattr(guest, "environment", lambda: {**real, "PATH": f"{tmp_path}:{real['PATH']}"})


@pytest.mark.parametrize("cpus", [1, 4])
def test_short_periods_on_a_busy_host(arch, cpus, late_main_loop):
    """The ring has room for 33 ms at a period of 1,000, where a host executes 500 million instructions a second, and nothing
    interrupts the guest for longer: so the plugin has to hold its CPUs back. Without that one in five is lost and more."""
    if cpus > 1 and arch == "mips":
        pytest.skip("one CPU")
    for period, allowed in (10007, 0), (1000, 0.1):
        result = profile(arch, "selftest profile-work", "-e", f"instructions,{period}", "--cpus", cpus)
        assert result.status == 0, result.said
        assert lost(result) <= allowed * (lost(result) + counts(result)["sample"]), counts(result)


@pytest.mark.parametrize("cpus", [1, 4])
def test_more_samples_than_can_be_taken(arch, cpus):
    """To take one is several more, so that some are lost, how many is up to the host; but nothing stands still while others are waited for."""
    if cpus > 1 and arch == "mips":
        pytest.skip("one CPU")
    result = profile(arch, "dd if=zero of=null bs=512 count=60000", "-e", "instructions,100", "--cpus", cpus)
    assert result.status == 0, result.said
    assert lost(result) > 0 and counts(result)["sample"] > 100000


@pytest.mark.parametrize("more", [("--deterministic",), ("--cpus", 4)], ids=["deterministic", "4"])
def test_what_became_of_each(arch, more):
    """Of all periods that the plugin's ring told of each was kept or refused, and those it had no room for are lost."""
    if arch == "mips" and "--cpus" in more:
        pytest.skip("one CPU")
    result = guest.run("tprof monitor -e instructions,100 selftest profile-work; vmstat -e -v", "--arch", arch, *more)
    assert result.status == 0, result.said
    told, found = vmstat_layout.totals(result.text[result.text.rindex("\nevent") + 1 :]), counts(result)
    assert found["sample"] + found["overflow"] == told["pmu overflows"]
    assert found["lost"] == told["pmu dropped"]
    assert found["overflow"] > 0 and found["lost"] > 0


def test_losses_are_told(arch):
    """With a period of 100 samples alone would take all the time."""
    few, many = (profile(arch, "selftest profile-work", "-e", f"instructions,{period}", "--deterministic") for period in (200000, 100))
    assert few.status == many.status == 0
    assert b"lost" not in few.stderr
    told = re.search(r"^quipu: profile: (\d+) of (\d+) samples were lost", many.stderr.decode(), re.M)
    assert int(told[1]) == lost(many) > 0
    assert int(told[2]) == lost(many) + counts(many)["sample"]


@pytest.mark.parametrize("cpus", [2, 4])
def test_three_to_one_on_several_cpus(cpus):
    result = profile("x86_64", "selftest profile-work", "-e", "instructions,99991", "--cpus", cpus)
    assert result.status == 0, result.said
    assert 73 <= share(table(result.text)) <= 77


def test_picture(arch, tmp_path):
    path = tmp_path / "a, b.svg"
    result = profile(arch, "selftest profile-work", "-e", "instructions,50021", "-o", path)
    assert result.status == 0, result.said
    found = table(result.text)
    picture = ElementTree.parse(path).getroot().find("{http://www.w3.org/2000/svg}svg")
    width, across = int(picture.get("viewBox").split()[2]), {}
    for rect in picture:
        name = rect.get("data-name")
        across[name] = across.get(name, 0) + int(rect.get("width"))
    assert across["all"] == width == int(re.search(r"^ +(\d+)  all$", result.text, re.M)[1])
    for name in MORE, LESS:
        assert float(flame.percent(across[name], width).rstrip("%")) == found[name][1]
    # The command called both; some samples have no chain, because the interrupt came elsewhere.
    assert across["command_run"] >= (across[MORE] + across[LESS]) // 2


def test_the_clock_without_a_pmu(arch):
    result = profile(arch, "spin 1000", "--no-pmu")
    assert result.status == 0, result.said
    assert re.search(r"^Number of samples: [1-9]\d* - cpu-clock", result.text, re.M)


def test_the_command_s_status_and_output(arch):
    result = profile(arch, "selftest no-such-test", "-e", "instructions,20000")
    assert result.status == 2


@pytest.mark.parametrize("event", ["no-such-event", "instructions,0", "instructions:q"])
def test_bad_event(arch, event):
    """One line that names it, and not the command's status: it did not run."""
    result = profile(arch, "echo it ran", "-e", event)
    assert result.status in (1, 2) and result.stdout == b""
    assert result.stderr.count(b"\n") == 1 and b"EINVAL" in result.stderr
    assert b"it ran" not in result.stderr


def test_without_a_hardware_pmu(arch):
    """The clock can always be sampled."""
    result = profile(arch, "spin 500", "-e", "cpu-clock", "--no-pmu", "--deterministic")
    assert result.status == 0, result.said
    assert sum(own for own, _ in table(result.text).values()) >= 20


def test_nothing_before_the_command_is_sampled(arch):
    result = profile(arch, "spin 100", "-e", "instructions,99991", "--before", "selftest profile-work", "--deterministic")
    assert result.status == 0, result.said
    assert MORE not in table(result.text) and not re.search(r"profile_less", result.text)
