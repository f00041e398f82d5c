# SPDX-License-Identifier: BSD-2-Clause
"""What is peculiar to virtio's network cards, and how the launcher chooses a card. What both cards do: test_net.py."""

import pathlib
import re
import tempfile

import pytest

import ethernet as e
import guest
import net_sums

CARD = "virtio-net-pci"
OTHER = bytes.fromhex("525400123457")


class Wired:
    """A machine with such a card, with more properties, and the host's end of its wire."""

    def __init__(self, boot, folder, more="", cpus=1):
        self.wire = e.Wire(pathlib.Path(folder), CARD, record=False, more=more)
        self.machine = boot(arguments=self.wire.arguments(), cpus=cpus)
        self.machine.prompt()
        self.flood = net_sums.Flood(self.machine, self.wire)

    def count(self, name):
        """An event counter of the card, or of what NAME begins with."""
        for line in self.machine.command("vmstat -e -v").splitlines():
            if line.startswith(f"{name} "):
                return int(line[len(name) :].split()[0])
        raise AssertionError(f"no counter {name}")


def lost(difference):
    return sum(difference[reason] for reason in ("missed", "norcvbuf", "idrops"))


@pytest.fixture
def wired(boot):
    made = []
    with tempfile.TemporaryDirectory(prefix="quipu-net-") as folder:

        def start(*how, **more):
            made.append(Wired(boot, folder, *how, **more))
            return made[-1]

        yield start
        for each in made:
            each.wire.close()


# Without a control queue the device cannot be told what to leave out, and the driver does.
@pytest.mark.parametrize("more", ["", ",disable-legacy=on", ",ctrl_vq=off", ",ctrl_rx=off", ",rx_queue_size=256,tx_queue_size=256"])
def test_all_that_is_for_us(wired, more):
    """Frames to us, to all and to many; none that is for another, whoever sorts those out."""
    net = wired(more)
    assert "hears what is for others" not in net.machine.command("dmesg")
    for _ in range(30):
        net.wire.send(e.frame(b"x" * 46, net_sums.UNKNOWN, to=OTHER))
    net.wire.sent -= 30
    difference = net.flood.check(net.flood.send(300, 200), length=200, errors=0)
    assert (difference["unknowns"], lost(difference)) == (300, 0)
    assert (difference["brdcstrcv"], difference["multircv"]) == (75, 75)
    assert net.count("vioif0 strange answers") == 0


@pytest.mark.parametrize("cpus", [1, 4])
def test_nothing_is_missed(wired, arch, cpus):
    """However fast frames come, the device keeps them until the guest has room: there are more than it has buffers.
    With several CPUs the protocols may run on another than the card's soft interrupt, and not keep pace."""
    if arch == "mips" and cpus != 1:
        pytest.skip("one CPU")
    net = wired(cpus=cpus)
    for length in (60, 1514):
        difference = net.flood.check(net.flood.send(8000, length), length=length, errors=0)
        assert (difference["missed"] if cpus > 1 else lost(difference)) == 0
    difference = net.flood.check(net.flood.send(3000, 100, every=3, long=2000), errors=1000)
    assert (difference["missed"] if cpus > 1 else lost(difference)) == 0
    assert net.count("vioif0 strange answers") == 0


def test_without_merged_buffers(wired):
    """Then the device drops by itself what is too long for one buffer, up to 1600 bytes come and are errors."""
    net = wired(",mrg_rxbuf=off")
    net.flood.check(net.flood.send(400, 100, every=4, long=1515), errors=100)
    net.flood.check(net.flood.send(400, 100, every=4, long=1600), errors=100)
    sent = net.flood.send(400, 100, every=4, long=1601)
    net.wire.sent -= 100
    net.flood.check(sent - 100, errors=0)


def test_interrupts(wired, arch):
    """Each time that QEMU raised the card's pin is an interrupt of the line and of the card, and nothing else is."""
    net = wired()
    listing = net.machine.command("vmstat -e -t")
    line = re.search(r"^ *(\S.*?) +\d+ +\d+ intr\n +vioif0 intr", listing, re.M).group(1)
    chip = "ioapic" if arch == "x86_64" else "i8259"
    number = int(line.split()[-1])

    def counts():
        raised = {key: n for key, n in net.machine.raised().items() if chip in key[0]}
        return sum(n for (_, pin), n in raised.items() if pin == number), net.count("vioif0 intr"), net.count(line)

    before = counts()
    for sequence in range(40):
        assert net.wire.exchange(e.frame(e.ipv4(e.icmp_echo(b"x" * sequence, sequence=sequence), e.ICMP)))
    after = counts()
    raised, handled, lines = (b - a for a, b in zip(before, after))
    assert handled == lines == raised
    assert 40 <= handled <= 80  # one for a frame that came, one for the answer; or one for both


def test_a_card_that_waits(quipu):
    """It was told of all its buffers at once, and of nothing else."""
    text = quipu("ifconfig vioif0; vmstat -e -v", "--net").text
    assert re.search(r"^vioif0 notifications +1 ", text, re.M), text


def test_a_card_that_is_only_legacy(quipu):
    """It is left alone, and the log says so."""
    result = quipu("ifconfig; dmesg", "--", "-netdev", "user,id=net0", "-device", f"{CARD},netdev=net0,disable-modern=on,disable-legacy=off")
    assert result.status == 0 and "vioif0: not usable" in result.text and "vioif0: flags" not in result.text


def test_two_cards(quipu):
    """The first that is found has an address; both have counters."""
    text = quipu(
        "ping -q -c 1 -W 60000 10.0.2.2; ifconfig; kstat -p -c net:::opackets",
        *("--", "-netdev", "user,id=net0", "-device", f"{CARD},netdev=net0", "-netdev", "user,id=net1"),
        *("-device", f"{CARD},netdev=net1"),
    ).text
    assert text.count("inet 10.0.2.15 ") == 1 and "vioif1: flags" in text and " 0.0% packet loss" in text


@pytest.mark.parametrize("option, name", [("--net", "vioif0"), ("--net=virtio", "vioif0"), ("--net=pcnet", "pcnet0")])
def test_the_launchers_cards(quipu, option, name):
    text = quipu("ping -q -c 1 -W 60000 10.0.2.2; ifconfig", option).text
    assert f"{name}: flags" in text and " 0.0% packet loss" in text and text.count(": flags") == 2


@pytest.mark.parametrize("value", ["", "e1000", "auto"])
def test_the_launcher_refuses_others(value):
    result = guest.launch("run", f"--net={value}", "-c", "true")
    assert result.status == 2 and f"--net '{value}': choose one of: virtio pcnet" in result.said


def test_a_qemu_without_virtio(monkeypatch):
    monkeypatch.setattr(guest.qemu, "has_device", lambda program, device: False)
    options = guest.options.Options(arch="x86_64", net="auto")
    assert "user,id=net0,model=pcnet" in guest.qemu.network(options)
