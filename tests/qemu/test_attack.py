# SPDX-License-Identifier: BSD-2-Clause
"""A short attack on each board (tools/attack/attack.py): noise on the serial line, frames, failing sectors, lines that
make no sense; all of it is counted as models say, twice, and the second time nobody's memory grows. And the models
themselves, against frames written down by hand."""

import collections
import random
import subprocess
import sys

import pytest

import ethernet as e
import guest

sys.path.insert(0, str(guest.ROOT / "tools" / "attack"))
import net_model  # noqa: E402  (found through the line above)

SECONDS = 20


@pytest.mark.parametrize("arch", ["x86_64", "mips"])
def test_short_attack(arch):
    command = [sys.executable, guest.ROOT / "tools" / "attack" / "attack.py", "--arch", arch, "--seconds", SECONDS]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=SECONDS + 400, check=False)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]


ECHO = {"ip packets received", "ip packets for this host", "icmp messages received", "icmp echo requests received"}
PORT = {"ip packets received", "ip packets for this host", "udp datagrams received", "udp datagrams dropped: no socket"}


@pytest.mark.parametrize(
    "frame, counts",
    [
        (e.frame(e.ipv4(e.icmp_echo(b"abc"), e.ICMP)), ECHO | {"icmp echo replies sent", "ip packets sent"}),
        (e.frame(e.ipv4(e.udp(b"abc", 9), e.UDP)), PORT | {"icmp port unreachable sent", "ip packets sent"}),
        (e.frame(e.ipv4(e.icmp_echo(), e.ICMP, source="10.0.2.255")), {"ip packets received", "ip bad: source address"}),
        (e.frame(e.ipv4(e.icmp_echo(), e.ICMP, spoil=1)), {"ip packets received", "ip bad: header checksum"}),
        (e.frame(e.ipv4(e.icmp_echo(), e.ICMP, total=1000)), {"ip packets received", "ip bad: total length"}),
        (e.frame(e.arp(1), e.ARP), {"arp packets received", "arp requests received", "arp replies sent"}),
        (e.frame(b"?" * 46, 0x88B5), {"unknowns"}),
    ],
)
def test_model_of_frames(frame, counts):
    assert net_model.counted(frame) == collections.Counter(counts)


def test_model_makes_every_kind():
    """So that each of the guest's counters is compared with something."""
    dice, made = random.Random(1), collections.Counter()
    for _ in range(20000):
        made.update(net_model.frame(dice)[1])
    for name in ["ip bad: one host's address in a frame for many", "arp bad: sender's address is no host's", "udp bad: length"]:
        assert made[name] > 10, name
    assert len(made) >= 34, sorted(made)
