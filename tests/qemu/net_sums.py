# SPDX-License-Identifier: BSD-2-Clause
"""Floods a guest's card and compares what the host sent with what the guest counted. Used by tests and by the soak."""

import re

import ethernet as e

UNKNOWN = 0x88B5  # a type for experiments: nobody there speaks it
# Each frame is in one of them.
REASONS = ["ipackets", "ierrors", "norcvbuf", "missed"]


class Flood:
    def __init__(self, machine, wire):
        self.machine, self.wire = machine, wire
        self.sent = 0
        machine.command("ifconfig")
        self.alive()
        self._before, self._sent_before, self._received = self.counts(), self.wire.sent, self.received()
        self._given = self.outputs()

    def counts(self):
        """{"ipackets": 7} of the card."""
        rows = self.machine.command(f"kstat -p net:0:{self.wire.name}").splitlines()
        return {row.split()[0].rsplit(":", 1)[1]: int(row.split()[1]) for row in rows if row.split()[1].isdigit()}

    def outputs(self):
        """What the card was given to send, and what became of it, as the law has both."""
        row = re.search(rf"^{self.wire.name} +(\d+) = +(\d+)  ok$", self.machine.command("laws frames-out"), re.M)
        assert row and row[1] == row[2], row
        return int(row[1])

    def rare(self):
        """{"restarts": 1}: what the driver did to keep the card going."""
        return self._raw(f"{self.wire.name} re")

    def missed(self):
        """What its interrupts have counted: to read a kstat asks the card, too."""
        return sum(self._raw(f"{self.wire.name} missed").values())

    def _raw(self, begin):
        rows = (line.split() for line in self.machine.command("vmstat -e -v").splitlines() if line.startswith(begin))
        return {" ".join(row[1:-3]): int(row[-3]) for row in rows}

    def send(self, count, length, every=0, long=0, burst=0):
        """COUNT frames of LENGTH, all of them for the guest; of EVERY so many one is LONG. Returns how many."""
        kinds = [e.GUEST_MAC, e.GUEST_MAC, e.BROADCAST, b"\x01\x00\x5e\x00\x00\x01"]
        frames = [e.frame(b"q" * (length - 14), UNKNOWN, to=kind) for kind in kinds]
        too_long = e.frame(b"q" * (long - 14), UNKNOWN) if every else b""
        for n in range(count):
            self.wire.send(too_long if every and n % every == 0 else frames[n % len(frames)])
            if burst and (n + 1) % burst == 0:
                self.alive()
        self.sent += count
        return count

    def alive(self):
        """A ping is answered. One may be lost behind a flood, and the next must not be."""
        for _ in range(50):
            if self.wire.exchange(e.frame(e.ipv4(e.icmp_echo(b"alive"), e.ICMP)), patience=2):
                return
        raise AssertionError("the card answers no more")

    def received(self):
        """What the protocols have received."""
        text = self.machine.command("netstat -s")
        return sum(int(n) for n in re.findall(r"^(?:arp|ip):\n\t(\d+) packets received$", text, re.M))

    def _difference(self, sent):
        """What the counters did since the last check. The guest may still be busy with what came, or went, last."""
        for _ in range(20):
            now = self.counts()
            difference = {name: now[name] - self._before[name] for name in now}
            if sum(difference[reason] for reason in REASONS) == sent:
                break
        self._before = now
        return difference

    def check(self, count, length=0, errors=None, known=0):
        """All frames since the last check, COUNT of them in a flood, are accounted for; what each counter did. KNOWN
        of them are of a kind that the guest answers."""
        self.alive()
        while self.wire.receive(lambda frame: True, patience=0.2):
            pass
        sent = self.wire.sent - self._sent_before
        self._sent_before = self.wire.sent
        missed = self.missed()
        difference = self._difference(sent)
        assert missed == self._before["missed"], "the interrupts have counted all that a question finds"
        assert sum(difference[reason] for reason in REASONS) == sent, f"{sent} of which {count}: {difference}"
        if errors is not None:
            assert difference["ierrors"] == errors, difference
        others = sent - count  # pings and answers to ARP requests, all of 60 bytes
        whole = difference["ipackets"]
        if length:
            short = whole * length - difference["rbytes"]
            assert short >= 0 and short % ((length - 60) or 1) == 0 and short <= others * (length - 60), difference
        assert self.rare().get("restarts", 0) == 0
        given, before = self.outputs(), self._given
        self._given = given
        assert given - before == difference["opackets"] + difference["oerrors"] + difference["noxmtbuf"], difference
        received, before = self.received(), self._received
        self._received = received
        assert whole - difference["unknowns"] - difference["idrops"] == received - before, difference
        assert received - before <= others + known
        return difference

    def pings(self, count, length):
        """Requests as fast as they go; each answer that the guest says it sent has arrived."""
        heard = len(self.wire.heard)
        for n in range(count):
            self.wire.send(e.frame(e.ipv4(e.icmp_echo(b"p" * length, sequence=n & 0xFFFF), e.ICMP)))
            self.wire.take_all()
        self.sent += count
        now = self.check(count, errors=0, known=count)
        assert now["opackets"] == len(self.wire.heard) - heard, (now, len(self.wire.heard) - heard)
        assert now["obytes"] == sum(map(len, self.wire.heard[heard:]))
        return now
