# SPDX-License-Identifier: BSD-2-Clause
"""ecadmin(1): which events the system counts, by name and number, who may say so, and what it refuses."""

import re

import perfex
import pytest

import guest

pytestmark = pytest.mark.programs

EVENTS = {"x86_64": [0, 15, 16, 17, 24], "mips": list(range(32))}


def said(arch, *commands, options=()):
    """[(what each printed, its status)]"""
    script = "; ".join(f"echo begin; {command} 2>&1; echo status $?" for command in commands)
    text = guest.run(script, "--arch", arch, *options).text
    return [(out, int(status)) for out, status in re.findall(r"^begin\n(.*?)^status (\d+)$", text, re.M | re.S)]


def events(text):
    return [int(number) for number in re.findall(r"^ ?(\d+) \S", text, re.M)]


def test_events(arch):
    """What the machine has; what is enabled, listed, disabled; without any there is no system mode."""
    listed, refused, on, more, changed, rest, off, free = said(
        arch,
        "ecadmin -e '?'",
        "ecadmin -l",
        "ecadmin -e Instructions,CYCLES-1 -l",
        "ecadmin -e 15 -l",
        "ecadmin -d 15 -e 0 -l",
        "ecadmin -d cycles -l",
        "ecadmin -d 16",
        "perfex -e 15 echo x",
    )
    assert events(listed[0]) == EVENTS[arch]
    assert refused == ("ecadmin: no events are enabled: the counters are not in system mode\n", 1)
    lines = "15 instructions           Graduated instructions\n16 cycles-1               Cycles\n"
    assert on == more == (lines, 0)
    assert events(changed[0]) == [0, 16] and events(rest[0]) == [16]
    assert off == ("", 0) and free[1] == 0


def test_revision(arch):
    """Event 6 has the name that the kernel gives it."""
    if arch == "x86_64":
        pytest.skip("an R10000's event")
    listed, kernel = said("mips", "ecadmin -e '?'", "pmc list")
    told = re.search(r"branches-(decoded|resolved)", kernel[0])[1]
    assert f"\n 6 branches               Branches {told}\n" in listed[0]


def test_excludes_programs(arch):
    """While the system counts no process does; -r gives the counters back, more than once."""
    _, busy, released, again, free = said(
        arch, "ecadmin -e 15", "perfex -e 15 echo x", "ecadmin -r", "ecadmin -r", "perfex -e 15 echo x"
    )
    assert busy[1] == 1 and "busy" in busy[0]
    assert released == again == ("", 0) and free[1] == 0


def test_wrong_use(arch):
    """Each with a line that says why, and status 2; 1 where it is the machine's or the kernel's doing."""
    wrong = {
        "ecadmin": ("usage: ecadmin", 2),
        "ecadmin 15": ("usage: ecadmin", 2),
        "ecadmin -r -e 15": ("usage: ecadmin", 2),
        "ecadmin -e ,": ("usage: ecadmin", 2),
        "ecadmin -e 32": ("ecadmin: no event 32\n", 2),
        "ecadmin -e cycles,cycels": ("ecadmin: no event cycels\n", 2),
        "ecadmin -d 15": ("ecadmin: event 15 (Graduated instructions): not enabled\n", 1),
    }
    if arch == "x86_64":
        wrong["ecadmin -e 25"] = ("ecadmin: event 25 (Primary data cache misses): not supported by this processor\n", 1)
    for (out, status), (text, wanted) in zip(said(arch, *wrong, "ecadmin -l"), wrong.values(), strict=False):
        assert text in out and status == wanted, out


def test_nobody(arch):
    """Only root changes what the system counts; what it is may be read by everybody."""
    as_user = "r10k_perfex nobody"
    refused, _, listed, again, released = said(
        arch,
        f"{as_user} ecadmin -e 15",
        "ecadmin -e 15",
        f"{as_user} ecadmin -l",
        f"{as_user} ecadmin -e 16",
        f"{as_user} ecadmin -r",
        options=perfex.under(arch),
    )
    only_root = ("ecadmin: counters of the system: only root may change them\n", 1)
    assert refused == again == released == only_root
    assert events(listed[0]) == [15] and listed[1] == 0


def test_several_on_one_counter(arch):
    """All that the machine has."""
    tried, listed, _ = said(arch, "ecadmin -e 15; ecadmin -a", "ecadmin -l", "ecadmin -r")
    assert tried[1] == 0 and events(listed[0]) == EVENTS[arch]


def test_diagnostics(arch):
    """-D: every call, and what it returned."""
    ((text, status),) = said(arch, "ecadmin -DMT -e 15")
    calls = re.findall(r"^syssgi\(SGI_EVENTCTR, HWPERF_(\w+)\) = (-?\d+)", text, re.M)
    assert status == 0 and [name for name, _ in calls] == ["GETSYSEVCTRL", "ENSYSCNTRS"]
    assert calls[0][1] == "-1" and int(calls[1][1]) > 0
