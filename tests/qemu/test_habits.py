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


def test_other_systems_commands(arch):
    """What does the work here is named, if something does; the status stays."""
    text = guest.run("free; perf stat true; shutdown -p now; cd /; nonsense; echo $?", "--arch", arch).text
    assert text.splitlines() == [
        "free: command not found (here: mem)",
        "perf: command not found (here: pmc stat, tprof)",
        "shutdown: command not found (here: poweroff)",
        "cd: command not found (here: there is no current directory; paths begin with /)",
        "nonsense: command not found",
        "127",
    ]


def test_what_is_named_is_there():
    """Every first word of the hints is a command."""
    listed = set(re.findall(r"^([a-z]\w*)  +\S", guest.run("help").text, re.M))
    table = re.findall(r'^    \{"(\S+)", "(.*)"\},$', (guest.ROOT / "shell" / "habit.c").read_text(), re.M)
    assert len(table) > 20 and [name for name, _ in table] == sorted(name for name, _ in table)
    prose = {"bg", "cd", "env", "export", "history", "pwd"}
    assert all(part.split()[0] in listed for name, here in table if name not in prose for part in here.split(";")[0].split(", ")), table
    assert not listed & {name for name, _ in table}


def test_help_of_a_command(arch):
    """--help is `help NAME`, of prefixes too; not of what takes any words."""
    text = guest.run("vmstat --help; echo $?; help vmstat; echo =; time --help; echo $?; echo --help; false --help; echo $?", "--arch", arch).text
    shown, again = text.split("=\n")[0].split("\n0\n")
    assert shown == again.rstrip("\n") and shown.startswith("vmstat: print")
    assert text.split("=\n")[1].startswith("time: run a command") and text.endswith("\n0\n--help\n1\n")
    refused = guest.run("vmstat --help 1", "--arch", arch)
    assert refused.status == 2 and "unknown option --help" in refused.said


def test_uptime_has_loads(arch):
    """As all four print it; the same numbers as sysctl's."""
    text = guest.run("spin 3400; uptime; sysctl -n vm.loadavg; uptime -s", "--arch", arch, "--deterministic").text
    shown, averages, seconds = text.splitlines()
    loads = re.fullmatch(r"(?:\d\d:\d\d:\d\d )?up 0 days, 0:00:\d\d, load averages: (\d+\.\d\d), (\d+\.\d\d), (\d+\.\d\d)", shown)
    assert loads and "{ " + " ".join(loads.groups()) + " }" == averages and float(loads[1]) > 0 and float(seconds) > 3


def test_names_of_devices_and_hosts(arch, tmp_path):
    """/dev/NAME is NAME; localhost is this machine; `route` shows what `netstat -r` shows; `help free` knows where to look."""
    image = tmp_path / "disk"
    image.write_bytes(bytes(range(256)) * 16)
    text = guest.run(
        "dd if=/dev/wd0 of=/dev/null bs=4k; dd if=/dev/zero of=/dev/wd0 count=1; sum /dev/wd0; hexdump -n 16 /dev/wd0; sum /dev/none; echo =;"
        "ping -q -c 1 localhost; echo $?; udp echo 9 & sleep 0.2; udp -w 5 send localhost 9 hello; stop 1; echo =; route; echo =; netstat -r; echo =; route show;"
        "echo =; help free; echo $?",
        "--arch", arch, "--disk", image,
    ).text  # fmt: skip
    disk, net, route, netstat, show, known = text.split("=\n")
    assert disk.count("1+0 records out") == 2 and re.search(r"^[0-9a-f]{8} 4096 wd0$", disk, re.M) and "sum: no block device /dev/none" in disk
    assert "00000000  00 00" in disk and image.read_bytes()[:512] == bytes(512)
    assert "1 packets received" in net and "hello" in net
    assert route == netstat == show and "127.0.0.0/8" in route
    assert known == 'help: nothing is known about "free" (here: mem)\n1\n'


def test_systat_alone(machine):
    """On a terminal it is the page that there is."""
    machine.send(b"systat\r")
    machine.expect(rb"Interrupts")
    machine.send(b"q")
    machine.prompt()
    assert machine.status() == 0


def test_ps_full(arch):
    text = guest.run("ps -l; ps -ef", "--arch", arch).lines()
    assert text[0] == text[1] and text[0].split()[:3] == ["UID", "PID", "PPID"]


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
