# SPDX-License-Identifier: BSD-2-Clause
"""What the console's kstat and devstat record count, byte by byte."""

from test_kstat import lines


def test_console_counts_what_it_prints(quipu):
    """Between two readings lie the first one's own line and eleven bytes of echo."""
    first, echoed, second = quipu("kstat -q; kstat -p ::console0:nwritten; echo 0123456789; kstat -p ::console0:nwritten").lines()
    assert echoed == "0123456789"
    assert int(second.split("\t")[1]) - int(first.split("\t")[1]) == len(first) + 1 + 11


def test_console_counts_what_is_typed(machine):
    """Each byte once in both interfaces, and as many reads, but for those of the line that asks the second one; none is under
    way. The console began before anybody asked for it."""
    uptime = float(machine.command("cat /proc/uptime").split()[0])
    ask = "iostat -F -xI console0"

    def look():
        kstat = {key[3]: value for key, value in lines(machine.command("kstat -p console:0:console0")).items()}
        sent = machine.sent
        row = machine.command(ask).splitlines()[-1].split()
        return kstat, sent, row

    before, sent, _ = look()
    assert float(before["crtime"]) <= uptime
    for _ in range(50):
        machine.command("echo 0123456789")
    after, sent_later, (_, reads, _, kilobytes, _, queue, *_) = look()
    nread, nreads = (int(after[name]) - int(before[name]) for name in ("nread", "reads"))
    assert nread == sent_later - sent and 50 <= nreads <= nread
    assert int(after["reads"]) <= float(reads) <= int(after["reads"]) + len(ask) + 1
    assert abs(float(kilobytes) * 1024 - int(after["nread"])) <= 80 and queue == "0"
