# SPDX-License-Identifier: BSD-2-Clause
"""unix:0:sysinfo, vminfo and system_misc: what is looked at once a second, as SunOS keeps it."""

import json
import math
import re

import disk
from test_kstat import lines


def test_sums_of_each_second(quipu):
    """As on SunOS: raw, of 24 and 48 bytes, sums of what was seen once a second. Nothing ran in the first seconds but what looks;
    then three threads want one CPU: two wait, and the load goes up to 3 * (1 - exp(-4/60)) and so on."""
    look = "kstat -p -c vm; kstat -p unix:0:sysinfo; kstat -p unix:0:system_misc:/avenrun/; kstat -p unix:0:system_pages:pagesfree; sysctl -n vm.loadavg; "
    text = quipu("kstat -q; sleep 3.5; " + look + "echo ===; spin 4000 & spin 4000 & spin 4000 & sleep 3.9; " + look + "wait", "--deterministic").text
    before, after = [dict(re.findall(r"^unix:0:(\S+)\t(\d+)$", part, re.M)) for part in text.split("===\n")]
    change = {name: int(after[name]) - int(before[name]) for name in before}
    assert int(before["vminfo:updates"]) == int(before["sysinfo:updates"]) == 3, "a look a second"
    assert change["vminfo:updates"] == change["sysinfo:updates"] == 4
    assert before["sysinfo:runque"] == before["sysinfo:runocc"] == before["sysinfo:waiting"] == before["sysinfo:swpque"] == "0"
    assert change["sysinfo:runque"] == 2 * 4 and change["sysinfo:runocc"] == 4
    mean = change["vminfo:freemem"] / 4
    assert abs(mean - int(after["system_pages:pagesfree"])) <= 100
    assert [before[f"system_misc:avenrun_{minutes}min"] for minutes in (1, 5, 15)] == ["0"] * 3
    for minutes in (1, 5, 15):
        load = 3 * (1 - math.exp(-4 / 60 / minutes))
        assert abs(int(after[f"system_misc:avenrun_{minutes}min"]) / 256 - load) <= 1 / 256
    loads = [3 * (1 - math.exp(-4 / 60 / minutes)) for minutes in (1, 5, 15)]
    shown = re.findall(r"^\{ (\d+\.\d\d) (\d+\.\d\d) (\d+\.\d\d) \}$", text, re.M)
    assert shown[0] == ("0.00", "0.00", "0.00")
    assert all(abs(float(number) - load) <= 0.0051 for number, load in zip(shown[1], loads))


def test_who_waits_for_a_disk(quipu, tmp_path):
    """
    One thread waits for an answer that is put off by four seconds and more: at each look in between there is one.
    How long it waits beyond that is the host's: while the host reads, an idle guest's clock goes on by leaps.
    """
    text = quipu(
        "devctl inject wd0 delay=4200; kstat -p unix:0:sysinfo; hexdump -n 16 wd0 & sleep 3; kstat -p unix:0:sysinfo; wait; kstat -p unix:0:sysinfo; sleep 2; kstat -p unix:0:sysinfo",
        "--deterministic",
        "--disk",
        disk.image(tmp_path, "disk", 1 << 20, 1),
    ).text
    looks = [int(value) for value in re.findall(r"sysinfo:updates\t(\d+)", text)]
    waits = [int(value) for value in re.findall(r"sysinfo:waiting\t(\d+)", text)]
    assert waits[0] == 0 and waits[1] == looks[1] - looks[0] >= 3, "only when it waits"
    assert 4 <= waits[2] <= looks[2] - looks[0]
    assert waits[3] == waits[2] and looks[3] - looks[2] >= 2, "and not afterwards"


def test_system_has_illumos_types(quipu):
    text = quipu("kstat -j unix:0:sysinfo unix:0:vminfo unix:0:system_misc; sysctl kern.hz").text
    kinds = {kstat["name"]: (kstat["type"], kstat["class"]) for kstat in json.loads(text[: text.rindex("]") + 1])}
    assert kinds == {"sysinfo": (0, "misc"), "vminfo": (0, "vm"), "system_misc": (1, "misc")}
    assert text.endswith("kern.hz: 100\n")


def test_threads_that_have_ended(quipu):
    """Each job is a thread of its own; and one that has been listed is not lost."""
    jobs = "sleep 0.01 & sleep 0.01 & sleep 60 & sleep 0.01 & wait 1; wait 2; wait 4; "
    text = quipu("kstat -p unix:0:threads; " + jobs + "kstat -p unix:0:threads; stop 3; wait 3; kstat -p unix:0:threads").text
    looks = [{name: int(count) for name, count in re.findall(r"threads:(\w+)\t(\d+)$", part, re.M)} for part in text.split("class\t")[1:]]
    assert [look["ended"] - looks[0]["ended"] for look in looks] == [0, 3, 4], text
    assert [look["total"] - looks[0]["total"] for look in looks] == [0, 1, 0], text


# What mpstat, vmstat and iostat of illumos look up, and do not look whether it was there.
ILLUMOS = {
    "sys": "cpu_ticks_idle cpu_ticks_user cpu_ticks_kernel cpu_ticks_wait intr intrthread pswitch inv_swtch cpumigrate mutex_adenters"
    " rw_rdfails rw_wrfails xcalls syscall trap sysfork sysvfork sysexec rawch outch",
    "vm": "as_fault hat_fault maj_fault cow_fault zfod pgin pgout pgpgin pgpgout pgrec pgfrec swapin swapout pgswapin pgswapout scan rev dfree"
    " execpgin execpgout execfree anonpgin anonpgout anonfree fspgin fspgout fsfree",
}


def test_what_illumos_looks_up(quipu):
    """The characters of the terminal are those of the serial line's counters, all CPUs together."""
    result = quipu("echo hello; kstat -p cpu::sys; kstat -p cpu::vm; kstat -p unix:0:dnlcstats; vmstat -e | grep com0; kstat -p cpu::sys:outch")
    stats = lines("".join(re.findall(r".*\t.*\n", result.text.partition("com0")[0])))
    for name, wanted in ILLUMOS.items():
        assert all(stats["cpu", 0, name, word].isdigit() for word in wanted.split())
    none = ["intrthread", "rw_rdfails", "rw_wrfails"]
    assert [stats["cpu", 0, "sys", name] for name in none] == ["0"] * 3, "interrupts are no threads, and there are no such locks"
    sent = int(re.search(r"^com0 tx bytes +(\d+)", result.text, re.M).group(1))
    before, after = [int(value) for value in re.findall(r"^cpu:0:sys:outch\t(\d+)", result.text, re.M)]
    assert 0 < before <= sent <= after
    assert {"hits", "misses"} <= {statistic for _, _, name, statistic in stats if name == "dnlcstats"}
