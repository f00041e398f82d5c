# SPDX-License-Identifier: BSD-2-Clause
"""What fingers type that know NetBSD, illumos or Linux."""

import re

import guest

MACHINE = {"x86_64": "x86_64", "mips": "mips64"}


def test_uname(arch):
    text = guest.run("uname; uname -s; uname -m; uname -nr; uname -a; uname -x; echo $?; uname x; echo $?", "--arch", arch).text
    name, system, machine, node, whole, *bad = text.splitlines()
    assert (name, system, machine) == ("Quipu", "Quipu", MACHINE[arch])
    assert re.fullmatch(r"quipu \d+\.\d+", node)
    assert whole == f"Quipu {node} #1 Quipu {MACHINE[arch]}"
    assert bad.count("2") == 2


def test_plain_netstat(arch):
    """The open ports; without a server, none."""
    heading = "Active Internet connections (including servers)"
    nothing = guest.run("netstat; netstat -an", "--arch", arch, "--net").text.splitlines()
    assert nothing[0] == nothing[2] == heading and len(nothing) == 4
    open_port = "udp echo 7 & sleep 0.2; netstat; stop 1"
    lines = guest.run(open_port, "--arch", arch, "--net").text.splitlines()
    assert lines[0] == heading and lines[1].split()[:3] == ["Proto", "Recv-Q", "Send-Q"]
    assert lines[2].split() == ["udp", "0", "0", "*.7", "*.*"]


def test_intrstat_of_an_interval(arch):
    """As illumos has it: a table of each CPU."""
    text = guest.run("intrstat 0.1 2", "--arch", arch).text
    assert text.count("device |") == 2 and len(re.findall(r"cpu0 timer \| +[1-9]\d* +\d+\.\d", text)) == 2
    assert text.count("%tim") == 2


def test_vmstat_and_ps(arch):
    text = guest.run("vmstat; echo =; vmstat 1 2; echo =; ps aux", "--arch", arch).text
    plain, twice, listed = text.split("=\n")
    assert len(plain.splitlines()) == 3 and len(twice.splitlines()) == 4
    assert listed.split()[:3] == ["UID", "PID", "%CPU"] or listed.split()[:3] == ["USER", "PID", "%CPU"]


def test_top_ranks_by_use():
    """What works before what waits, idle threads last, whatever they use."""
    text = guest.run("on 1 spin 2000 & top -b -n 2 -d 0.3; stop 1", "--cpus", 4).text
    rows = [line.split() for line in text.split("NAME\n")[2].splitlines() if line]
    names = [" ".join(row[6:]) for row in rows]
    assert names[0] == "on" and all(name.startswith("idle") for name in names[-4:]), text
    used = [float(row[4]) for row in rows]
    assert used[:-4] == sorted(used[:-4], reverse=True) and not any(name.startswith("idle") for name in names[:-4])


def test_intrctl_fits_a_terminal():
    """At 16 CPUs, too: four a table, each line in all of them."""
    text = guest.run("intrctl list", "--cpus", 16).text
    assert max(map(len, text.splitlines())) <= 80
    tables = text.split("\n\n")
    assert [re.findall(r"CPU\d+", table.splitlines()[0]) for table in tables] == [
        [f"CPU{cpu}" for cpu in range(first, first + 4)] for first in (0, 4, 8, 12)
    ]
    lines = [[line[:22] for line in table.splitlines()[1:]] for table in tables]
    assert lines[0] == lines[1] == lines[2] == lines[3] and len(lines[0]) > 8
