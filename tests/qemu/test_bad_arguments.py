# SPDX-License-Identifier: BSD-2-Clause
"""Arguments that make no sense: one line says so, the status is not 0, and nothing changes."""

import pytest

import guest

BAD = [
    ("bench kstat -1", 2, 'bench: bad number of kstats "-1"'),
    ("bench kstat 0", 2, 'bench: bad number of kstats "0"'),
    ("bench list 5", 2, 'bench: bad number of counters "5"'),
    ("bench pmc x", 2, "usage: bench"),
    ("bench pairs 0 wander", 2, 'bench: bad number of pairs "0"'),
    ("bench pairs 2 home", 2, "usage: bench"),
    ("bench threads -1", 2, 'bench: bad number of threads "-1"'),
    ("bench idle 0", 2, 'bench: bad seconds "0"'),
    ("bench read wd9 512", 1, "bench: wd9: no such device"),
    ("bench read cd0 x", 2, 'bench: bad number of bytes "x"'),
    ("bench read cd0 100", 1, "bench: 100: not a multiple of cd0's blocks"),
    ("ifconfig vioif0 255.255.255.255", 2, 'no single host has it: "255.255.255.255"'),
    ("ifconfig vioif0 224.0.0.1", 2, 'no single host has it: "224.0.0.1"'),
    ("ifconfig vioif0 240.0.0.1", 2, 'no single host has it: "240.0.0.1"'),
    ("ifconfig vioif0 0.0.0.0", 2, 'no single host has it: "0.0.0.0"'),
    ("ifconfig vioif0 127.0.0.2", 2, 'no single host has it: "127.0.0.2"'),
    ("ifconfig vioif0 10.0.2.255/24", 2, 'no single host has it: "10.0.2.255"'),
    ("ifconfig vioif0 10.0.2.0 netmask 255.255.255.0", 2, 'no single host has it: "10.0.2.0"'),
    ("ifconfig vioif0 up down", 2, "usage: ifconfig"),
    ("ifconfig vioif0 down down", 2, "usage: ifconfig"),
]


def test_bad_arguments(arch):
    line = "; ".join(f"{command}; echo status $?" for command, _, _ in BAD)
    result = guest.run(f"ifconfig >/tmp/before; {line}; ifconfig >/tmp/after; cat /tmp/before; echo =; cat /tmp/after", "--arch", arch, "--net=virtio")
    *said, states = result.text.split("status ")
    said = [said[0], *(part.split("\n", 1)[1] for part in said[1:])]
    statuses = [int(part[0]) for part in result.text.split("status ")[1:]]
    for (command, status, words), text, got in zip(BAD, said, statuses, strict=True):
        assert words in text and got == status, (command, text, got)
    before, after = states.split("\n", 1)[1].split("=\n")
    assert before == after and "inet 10.0.2.15" in before


@pytest.mark.parametrize("state", ["up", "down"])
def test_address_of_one_host(arch, state):
    text = guest.run(f"ifconfig vioif0 10.1.2.3/16 {state}; ifconfig vioif0", "--arch", arch, "--net=virtio").text
    assert "inet 10.1.2.3 netmask 0xffff0000 broadcast 10.1.255.255" in text
    assert ("<UP," in text) == (state == "up")


def test_bench_wake_hears_interrupt(boot):
    """^C ends it long before its 200 rounds of a millisecond or more."""
    machine = boot()
    machine.send(b"bench wake; echo status $?\r")
    machine.send(b"\x03")
    machine.expect(rb"\^C\r?\n")
    machine.prompt()
    assert machine.command("ps").count("bench") == 0
