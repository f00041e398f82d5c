# SPDX-License-Identifier: BSD-2-Clause
"""The floods of `make attack`: each sends a random amount of one kind to a machine and checks what was counted against
a model of its own, which knows nothing of the guest. Used by attack.py and by the suite.
"""

import collections
import json
import re
import zlib

import disk
import ethernet as e
import net_model

SECTOR = 512
SECTORS = 2048
BURST = 16  # frames that a card and the queue before the protocols hold in any case

# What noise and random lines must not become, since it would end the run or has an effect that lasts.
SPARED = ["poweroff", "reboot", "exit", "panic", "exec", "on", "selftest", "bench", "watchdog", "devctl", "ifconfig", "route", "arp"]

# These have a command of their own behind them, or take what comes.
TAKE_ANYTHING = ["echo", "true", "false", "time", "watch"]


class Failure(AssertionError):
    """What was counted is not what was sent."""


def demand(fact, *what):
    if not fact:
        raise Failure(" ".join(map(str, what)))


def counters(machine):
    """{"com0 rx bytes": 7} of `vmstat -e -v`."""
    rows = (re.fullmatch(r"(.*?)\s+(\d+)\s+\d+ \w+", line) for line in machine.command("vmstat -e -v").splitlines())
    return {row[1]: int(row[2]) for row in rows if row}


class Serial:
    """Noise on the console: bytes of all kinds, escape sequences, lines that are too long."""

    def __init__(self, machine):
        self._machine = machine

    def _noise(self, dice):
        kind, size = dice.randrange(5), dice.choice([1, 10, 300, 5000, 20000])
        if kind == 0:
            data = dice.randbytes(size)
        elif kind == 1:
            data = bytes(dice.randrange(32) for _ in range(size))
        elif kind == 2:
            data = b"".join(b"\x1b[%d%c" % (dice.randrange(99), dice.randrange(64, 127)) for _ in range(size // 4))
        elif kind == 3:
            data = bytes(dice.randrange(32, 127) for _ in range(size))
        else:
            data = b"".join(dice.choice([b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\xc3", b"a", b"\r"]) for _ in range(size // 2))
        return data.translate(None, b">")  # it makes no files

    def __call__(self, dice):
        machine = self._machine
        before, sent = counters(machine), machine.sent
        for _ in range(dice.randrange(1, 6)):
            machine.send(self._noise(dice))
        machine.send(b"\x1b\x1b\x03\x15\r")
        machine.quiet(0.3)
        for _ in range(2):  # whatever the noise has begun
            machine.send(b"\x03\x15\r")
            machine.quiet(0.1)
        machine.in_step()
        after = counters(machine)
        came = after["com0 rx bytes"] - before["com0 rx bytes"]
        demand(came == machine.sent - sent, f"{machine.sent - sent} bytes were sent, {came} counted")
        for name in ("com0 rx errors", "com0 rx dropped"):
            demand(after.get(name, 0) == before.get(name, 0), name, after.get(name))
        return machine.sent - sent


class Network:
    """Frames of all kinds, in bursts: each protocol counts what net_model.py says."""

    def __init__(self, machine, wire):
        self._machine, self._wire = machine, wire
        machine.command("ifconfig")
        known = wire.exchange(e.frame(e.arp(1), e.ARP, to=e.BROADCAST), lambda f: f[12:14] == b"\x08\x06")
        demand(known is not None, "the card answers nothing")

    def _statistics(self):
        counts, protocol = collections.Counter(), ""
        for line in self._machine.command(f"netstat -s; kstat -p net:0:{self._wire.name}:unknowns").splitlines():
            if re.fullmatch(r"\w+:", line):
                protocol = line[:-1]
            elif (row := re.fullmatch(r"\t(\d+) (.*)", line)) and protocol != "buffers":
                counts[f"{protocol} {row[2]}"] = int(row[1])
            elif ":unknowns" in line:
                counts["unknowns"] = int(line.split()[1])
        return counts

    def _ping(self, expected):
        ping = e.frame(e.ipv4(e.icmp_echo(b"attack"), e.ICMP))
        demand(self._wire.exchange(ping, lambda f: f[42:48] == b"attack"), "a ping was not answered")
        expected.update(net_model.counted(ping))

    def __call__(self, dice):
        before, expected, count = self._statistics(), collections.Counter(), 0
        for _ in range(dice.randrange(1, 40)):
            for _ in range(dice.randrange(1, BURST)):
                frame, counts = net_model.frame(dice)
                self._wire.send(frame)
                expected.update(counts)
                count += 1
            self._ping(expected)
        after = self._statistics()
        wrong = [
            f"{name}: {after[name] - before[name]}, not {expected[name]};"
            for name in sorted(set(after) | set(expected))
            if after[name] - before[name] != expected[name]
        ]
        demand(not wrong, f"of {count} frames", *wrong)
        return count


class Disk:
    """Reads and writes of a disk of which some sectors fail (QEMU's blkdebug): data, statuses and errors."""

    def __init__(self, folder, dice):
        self.name, self._machine = "vd0", None
        self._data = bytearray(dice.randbytes(SECTORS * SECTOR))
        self._bad = {way: set(dice.sample(range(SECTORS), 12)) for way in ("read", "write")}
        self._path = folder / "attack.img"
        self._path.write_bytes(self._data)

    def arguments(self):
        """For QEMU, before the machine is there."""
        rules = [
            {"event": "none", "iotype": way, "sector": sector, "errno": 5}
            for way, sectors in self._bad.items()
            for sector in sorted(sectors)
        ]
        image = {"driver": "file", "filename": str(self._path)}
        faulty = {"driver": "blkdebug", "image": image, "inject-error": rules}
        blockdev = json.dumps({"driver": "raw", "node-name": "attack", "file": faulty})
        return ["-blockdev", blockdev, "-device", "virtio-blk-pci,drive=attack,disable-legacy=on,werror=report,rerror=report"]

    def begin(self, machine):
        self._machine = machine

    def _read(self, first, count):
        said = self._machine.command(f"sum {self.name} {first} {count}")
        good = self._bad["read"].isdisjoint(range(first, first + count))
        demand(self._machine.status() == (0 if good else 1), f"sum {first} {count}:", said)
        if good:
            data = bytes(self._data[first * SECTOR : (first + count) * SECTOR])
            demand(said.split()[:2] == [f"{zlib.crc32(data):08x}", str(len(data))], f"sum {first} {count}:", said)
        return not good

    def _write(self, seed, first, count):
        said = self._machine.command(f"dd if=pattern:{seed} of={self.name} bs={SECTOR} seek={first} count={count}")
        bad = sorted(sector for sector in self._bad["write"] if first <= sector < first + count)
        demand(self._machine.status() == (1 if bad else 0), f"dd {first} {count}:", said)
        done = bad[0] - first if bad else count  # one after the other: what comes behind the bad one is not tried
        demand(f"{done}+0 records out" in said, f"dd {first} {count}:", said)
        self._data[first * SECTOR : (first + done) * SECTOR] = disk.pattern(seed, done * SECTOR)
        return bool(bad)

    def _errors(self):
        return counters(self._machine).get(f"{self.name} errors", 0)

    def __call__(self, dice):
        before, failed, count = self._errors(), 0, dice.randrange(5, 25)
        for _ in range(count):
            first = dice.randrange(SECTORS)
            many = dice.randrange(1, min(SECTORS - first, dice.choice([1, 8, 64, 400])) + 1)
            failed += self._read(first, many) if dice.randrange(3) else self._write(dice.randrange(1 << 20), first, many)
        errors = self._errors() - before
        demand(errors == failed, f"{failed} of {count} commands met an error, {errors} are counted")
        demand(self._path.read_bytes() == self._data, "the image has not what was written")
        return count


class Lines:
    """Commands with arguments that make no sense: a status of usage, aloud, and the shell goes on."""

    def __init__(self, machine):
        self._machine = machine
        listed = machine.command("help").split("\n\n")[0].splitlines()
        self._commands = [line.split()[0] for line in listed if line.split()[0] not in SPARED]

    def _argument(self, dice):
        kind = dice.randrange(8)
        if kind == 0:
            return "-" + dice.choice("QZYW@^")
        if kind == 1:
            return str(dice.choice([-1, 0, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 10**30]))
        if kind == 2:
            return "'" + "".join(chr(dice.randrange(32, 127)) for _ in range(dice.randrange(200))).replace("'", "") + "'"
        if kind == 3:
            return "x" * dice.choice([1, 64, 255, 256, 1000])
        if kind == 4:
            return dice.choice(["0x", "1e9", "1.", ".", "--", "-", "''", "1,2", ":", "a:b:c:d:e", "/", "..", "%n", "%s%s", "=", "-1.5"])
        if kind == 5:
            return "{" + dice.choice(["", ",", "a,", "..", "}{"]) + "}"
        return dice.choice(["vd0", "com0", "cpu", "all", "null", "10.0.2.2", "list", "on", "off", "help", "1"])

    def __call__(self, dice):
        count = dice.randrange(20, 60)
        for _ in range(count):
            words = [dice.choice(self._commands), *(self._argument(dice) for _ in range(dice.randrange(1, 6)))]
            refused = bool(dice.randrange(2)) and words[0] not in TAKE_ANYTHING
            if refused:
                words[1] = "-Q"
            self._one(" ".join(words), refused)
        return count

    def _one(self, line, refused):
        machine = self._machine
        try:
            said = machine.command(line, patience=4)
        except AssertionError:  # it runs until it is told to stop
            machine.send(b"\x03q")
            machine.quiet(0.5)
            try:
                machine.in_step()
            except AssertionError as error:
                raise Failure(f"{line!r} does not end by ^C: {error}") from error
            return
        status = machine.status()
        demand(0 <= status < 256, line, "status", status)
        demand(status != 2 or said.strip(), line, "ends with status 2 and not a word")
        if refused:  # no command has such an option
            demand(status == 2, line, "status", status, said)


def grown(machine):
    """{whose: by how much} since the last time, of pages and of small objects (`mem -v`)."""
    rows = (re.fullmatch(r"(\S.*?) +(\d+) +([+-]\d+)", line) for line in machine.command("mem -v").splitlines())
    return {row[1]: int(row[3]) for row in rows if row and int(row[3])}
