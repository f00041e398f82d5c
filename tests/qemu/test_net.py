# SPDX-License-Identifier: BSD-2-Clause
"""The network against observers outside: QEMU's user network, a host made by hand, and filter-dump's record."""

import pathlib
import re
import socket
import tempfile
import time

import pytest

import ethernet as e
import guest


@pytest.fixture(params=e.CARDS)
def card(request):
    return request.param


def user_network(card, path=None, more=""):
    """Arguments for a card on QEMU's user network."""
    arguments = ["-netdev", f"user,id=net0,ipv6=off{more}", "-device", f"{card},netdev=net0"]
    if path:
        arguments += ["-object", f"filter-dump,id=dump,netdev=net0,file={path}"]
    return arguments


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def statistics(text):
    """{"ip packets received": 3} of `netstat -s`."""
    counts, protocol = {}, ""
    for line in text.splitlines():
        if re.fullmatch(r"\w+:", line):
            protocol = line[:-1]
        elif row := re.fullmatch(r"\t(\d+) (.*)", line):
            counts[f"{protocol} {row.group(2)}"] = int(row.group(1))
    return counts


def counters(text):
    """{"pcnet0 ipackets": 3} of `vmstat -e -v`."""
    rows = (re.fullmatch(r"(.*?)\s+(\d+)\s+\d+ \w+", line) for line in text.splitlines())
    return {row.group(1): int(row.group(2)) for row in rows if row}


def start_echo(machine):
    """The echo service, once it answers."""
    machine.command("udp echo &")
    for _ in range(50):
        if "ready" in machine.command("udp -w 0.2 send 127.0.0.1 7 ready"):
            return
    pytest.fail("no echo")


class Network:
    def __init__(self, boot, folder, card, cpus):
        self.wire = e.Wire(folder, card)
        self.name = self.wire.name
        self.machine = boot(arguments=self.wire.arguments(), cpus=cpus)
        self.machine.prompt()
        self.machine.command("ifconfig")

    def statistics(self):
        return statistics(self.machine.command("netstat -s"))

    def counters(self):
        return counters(self.machine.command("netstat -i; vmstat -e -v"))

    def difference(self, before):
        return {k: v - before.get(k, 0) for k, v in self.statistics().items() if v != before.get(k, 0) and ":" != k}


@pytest.fixture(params=[1, 4])
def network(request, boot, arch, card):
    if arch == "mips" and request.param != 1:
        pytest.skip("one CPU")
    with tempfile.TemporaryDirectory(prefix="quipu-net-") as folder:
        made = Network(boot, pathlib.Path(folder), card, request.param)
        yield made
        made.wire.close()


def check_record(net):
    """Packets and bytes, each way, are exactly those that QEMU saw."""
    counts, name = net.counters(), net.name
    frames = e.recorded(net.wire.dump)
    ours = [f for f in frames if f[6:12] == e.GUEST_MAC]
    theirs = [f for f in frames if f[6:12] != e.GUEST_MAC and (f[:6] == e.GUEST_MAC or f[0] & 1)]
    lost = counts[f"{name} missed"] + counts[f"{name} norcvbuf"] + counts[f"{name} ierrors"]
    assert counts[f"{name} opackets"] == len(ours)
    assert counts[f"{name} obytes"] == sum(map(len, ours))
    assert counts[f"{name} ipackets"] + lost == len(theirs)
    if not lost:
        assert counts[f"{name} rbytes"] == sum(map(len, theirs))
    assert counts[f"{name} brdcstxmt"] == sum(f[:6] == e.BROADCAST for f in ours)
    return counts


def test_sums_of_netstat(arch):
    """Each count of the loopback gets a power of two of its own, by the order in net/interface.h: the columns are these sums."""
    text = guest.run("selftest net-sums; netstat -ib; netstat -i; netstat 0.1 2", "--arch", arch).text
    others, received, sent, errors, unsent, collisions = (1 << n for n in range(1, 7))
    packets = 1 << 15 | 1 << 14  # what has come is unknown or dropped
    dropped, output_errors = 1 << 14 | 1 << 11 | 1 << 13, unsent | 1 << 12
    rows = [list(map(int, line.split()[3:])) for line in text.splitlines() if re.match(r"lo0 +\d+ <", line)]
    assert rows[0] == [packets, errors, dropped, received, others, output_errors, sent, collisions], text
    assert rows[1:] == [[packets, errors, dropped, others, output_errors, collisions]], text
    running = [list(map(int, line.split())) for line in text.splitlines() if re.fullmatch(r"( +\d+){8}", line)]
    assert running == [[packets, errors, dropped, received, others, output_errors, sent, collisions], [0] * 8], text


def test_pings_the_gateway(quipu, card, tmp_path):
    dump = tmp_path / "net.pcap"
    result = quipu(
        "ping -c 3 -i 0.1 10.0.2.2; ping -q -c 2 -i 0.1 -s 1472 10.0.2.2; netstat -i; vmstat -e -v",
        *("--", *user_network(card, dump)),
    )
    lines = result.lines()
    assert lines[0] == "PING 10.0.2.2 (10.0.2.2): 56 data bytes"
    for n in range(3):
        assert re.fullmatch(rf"64 bytes from 10\.0\.2\.2: icmp_seq={n} ttl=\d+ time=\d+\.\d{{3}} ms", lines[n + 1])
    assert "3 packets transmitted, 3 packets received, 0.0% packet loss" in lines
    assert "2 packets transmitted, 2 packets received, 0.0% packet loss" in lines
    counts, frames, name = counters(result.text), e.recorded(dump), e.CARDS[card]
    ours = [f for f in frames if f[6:12] == e.GUEST_MAC]
    theirs = [f for f in frames if f[6:12] != e.GUEST_MAC]
    assert (counts[f"{name} opackets"], counts[f"{name} obytes"]) == (len(ours), sum(map(len, ours)))
    assert (counts[f"{name} ipackets"], counts[f"{name} rbytes"]) == (len(theirs), sum(map(len, theirs)))
    assert len(ours) == 6


@pytest.mark.parametrize(
    "command, status, text",
    [
        ("ping -c 1 -W 100 10.0.2.99", 2, "1 packets transmitted, 0 packets received, 100.0% packet loss"),
        ("ping 10.0.2", 2, "ping: 10.0.2: not an address such as 10.0.2.2"),
        ("ping -s 1473 10.0.2.2", 2, 'ping: bad size "1473"'),
        ("ping", 2, "usage: ping"),
        ("route delete default; ping -c 1 -W 10 9.9.9.9", 2, "ping: sendto: No route to host"),
        ("ifconfig CARD down; ping -c 1 -W 10 10.0.2.2", 2, "ping: sendto: No route to host"),
        ("ifconfig em0", 1, "ifconfig: interface em0 does not exist"),
        ("ifconfig CARD 1.2.3", 2, 'ifconfig: bad address "1.2.3"'),
        ("ifconfig CARD 10.0.0.1 netmask 255.0.255.0", 2, 'ifconfig: bad netmask "255.0.255.0"'),
        ("ifconfig CARD 10.0.2.9/28; ifconfig CARD", 0, "inet 10.0.2.9 netmask 0xfffffff0 broadcast 10.0.2.15"),
        ("netstat -I em0", 1, "netstat: interface em0 does not exist"),
        ("udp send 10.0.2.2 0 x", 2, 'udp: bad port "0"'),
        ("udp -w 0.1 send 127.0.0.1 7 x", 2, "udp: no answer"),
        ("arp 10.0.2.200", 1, "10.0.2.200 -- no entry"),
    ],
)
def test_refusals(quipu, arch, card, command, status, text):
    if (arch == "mips" or card == "pcnet") and status == 2 and "ping" not in command:
        pytest.skip("the same code")
    result = quipu(command.replace("CARD", e.CARDS[card]), "--", *user_network(card))
    assert text in result.text
    assert result.status == status


def test_without_a_card(quipu):
    result = quipu("ifconfig; ping -c 1 -W 10 10.0.2.2; ping -q -c 1 127.0.0.1")
    assert "broadcast" not in result.text and "No route to host" in result.text
    assert "1 packets transmitted, 1 packets received" in result.text


def test_host_gets_its_datagrams_back(boot, card):
    """From this host by QEMU's hostfwd to the echo service, and back."""
    port = free_port()
    machine = boot(arguments=user_network(card, more=f",hostfwd=udp:127.0.0.1:{port}-:7"))
    machine.prompt()
    start_echo(machine)
    before = statistics(machine.command("netstat -s"))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as host:
        host.settimeout(20)
        for size in (1, 2, 17, 18, 19, 511, 1472):
            text = bytes((i * 7 + size) % 256 for i in range(size))
            host.sendto(text, ("127.0.0.1", port))
            assert host.recv(65536) == text
    counts = statistics(machine.command("netstat -s"))
    for name in ("udp datagrams received", "udp datagrams sent"):
        assert counts[name] - before[name] == 7


def test_harness_pings(network):
    """Requests made by hand are answered with their bytes, whatever their length; and so are ARP requests."""
    wire = network.wire
    answer = wire.exchange(e.frame(e.arp(1), e.ARP, to=e.BROADCAST), lambda f: f[12:14] == b"\x08\x06")
    assert answer[:6] == e.OUR_MAC and len(answer) == 60
    assert answer[14:42] == e.arp(2, e.GUEST_IP, e.OUR_IP, e.GUEST_MAC, e.OUR_MAC)
    before = network.statistics()
    for sequence, size in enumerate([0, 1, 17, 18, 19, 56, 57, 1000, 1471, 1472]):
        payload = bytes((i * 31 + size) % 256 for i in range(size))
        answer = wire.exchange(e.frame(e.ipv4(e.icmp_echo(payload, sequence=sequence), e.ICMP)))
        body = answer[34 : 42 + size]
        assert body == e.icmp_echo(payload, kind=0, sequence=sequence)
        assert e.checksum(answer[14:34]) == 0 and answer[26:34] == e.address(e.GUEST_IP) + e.address(e.OUR_IP)
    after = network.difference(before)
    assert after["icmp echo requests received"] == after["icmp echo replies sent"] == 10
    check_record(network)


def test_guest_pings_us(network):
    """The guest asks who we are, and takes our replies; a damaged one it does not."""
    wire, machine = network.wire, network.machine
    # While it does not know us it keeps only one packet, so it may send the second ping only after our answer.
    machine.send(b"ping -c 1 -W 60000 10.0.2.77; ping -c 2 -i 0.2 -W 60000 10.0.2.77\r")
    for _ in range(3):
        request = wire.receive(lambda f: f[12:14] == b"\x08\x00" and f[23] == e.ICMP)
        body = request[34:98]
        reply = e.icmp_echo(body[8:], 0, int.from_bytes(body[4:6], "big"), int.from_bytes(body[6:8], "big"))
        wire.send(e.frame(e.ipv4(reply[:20] + b"?" + reply[21:], e.ICMP)))
        wire.send(e.frame(e.ipv4(reply, e.ICMP)))
    text = machine.expect(rb"(.*?)" + guest.NEW_PROMPT).group(1)
    for count in (b"1", b"2"):
        assert count + b" packets transmitted, " + count + b" packets received, 0.0% packet loss" in text
    assert network.statistics()["icmp bad: checksum"] == 3
    assert f"? (10.0.2.77) at 02:00:00:00:00:aa on {network.name} expires in" in machine.command("arp -a")
    check_record(network)


BAD = {
    "ip bad: version is not 4": e.frame(e.ipv4(e.icmp_echo(), e.ICMP, version=0x65)),
    "ip bad: header length": e.frame(e.ipv4(e.icmp_echo(), e.ICMP, version=0x44)),
    "ip bad: header checksum": e.frame(e.ipv4(e.icmp_echo(), e.ICMP, spoil=1)),
    "ip bad: total length": e.frame(e.ipv4(e.icmp_echo(), e.ICMP, total=1000)),
    "ip fragments dropped": e.frame(e.ipv4(e.icmp_echo(), e.ICMP, fragment=0x2000)),
    "ip packets not for this host": e.frame(e.ipv4(e.icmp_echo(), e.ICMP, to="10.0.2.16")),
    "ip bad: source address": e.frame(e.ipv4(e.icmp_echo(), e.ICMP, source="255.255.255.255")),
    "ip bad: source is our own address": e.frame(e.ipv4(e.icmp_echo(), e.ICMP, source=e.GUEST_IP)),
    "ip bad: one host's address in a frame for many": e.frame(e.ipv4(e.icmp_echo(), e.ICMP), to=e.BROADCAST),
    "ip packets of an unknown protocol": e.frame(e.ipv4(b"x" * 20, 6)),
    "icmp bad: checksum": e.frame(e.ipv4(e.icmp_echo(b"abc", spoil=1), e.ICMP)),
    "icmp bad: too short for a header": e.frame(e.ipv4(b"\x08\0\xf7\xff", e.ICMP)),
    "icmp echo replies that nobody awaits": e.frame(e.ipv4(e.icmp_echo(kind=0, number=999), e.ICMP)),
    "icmp messages of another type dropped": e.frame(e.ipv4(e.icmp_echo(kind=13), e.ICMP)),
    "udp bad: checksum": e.frame(e.ipv4(e.udp(b"abc", 7, sum_=1), e.UDP)),
    "udp bad: length": e.frame(e.ipv4(e.udp(b"abc", 7, length=100), e.UDP)),
    "udp bad: too short for a header": e.frame(e.ipv4(b"\0\7\0\7", e.UDP)),
    "udp datagrams dropped: no socket": e.frame(e.ipv4(e.udp(b"abc", 9999), e.UDP)),
    "arp bad packets dropped": e.frame(e.arp(1, kinds=(1, 0x86DD, 6, 4)), e.ARP, to=e.BROADCAST),
    "arp bad: sender's address is no host's": e.frame(e.arp(2, sender_ip="10.0.2.255"), e.ARP),
    "arp packets of others with our address": e.frame(e.arp(1, sender_ip=e.GUEST_IP), e.ARP, to=e.BROADCAST),
}


def test_bad_packets_are_counted_and_dropped(network):
    """Each kind moves its own counter, as often as it was sent, and nothing is answered but a closed port."""
    wire = network.wire
    wire.exchange(e.frame(e.arp(1), e.ARP, to=e.BROADCAST), lambda f: f[12:14] == b"\x08\x06")
    before = network.statistics()
    for times, bad in enumerate(BAD.values(), 1):
        for _ in range(times):
            wire.send(bad)
            time.sleep(0.001)
        assert wire.exchange(e.frame(e.ipv4(e.icmp_echo(b"alive", sequence=times), e.ICMP)))
    after = network.difference(before)
    for times, name in enumerate(BAD, 1):
        assert after.get(name) == times, name
    assert after["icmp port unreachable sent"] == after["udp datagrams dropped: no socket"]
    assert after["icmp echo replies sent"] == len(BAD)
    network.wire.send(e.frame(b"?" * 46, 0x88B5))
    network.wire.send(e.frame(b"?" * 46, 0x88B5, to=b"\x01\0\x5e\0\0\1"))
    assert wire.exchange(e.frame(e.ipv4(e.icmp_echo(b"alive"), e.ICMP)))
    counts = check_record(network)
    assert counts[f"{network.name} unknowns"] == 2 and counts[f"{network.name} multircv"] == 1


NO_HOST = ["0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.254", "10.0.2.0", "10.0.2.255"]
ALL_HOSTS = b"\x01\0\x5e\0\0\1"


def test_what_must_not_be_answered(network):
    """RFC 1122, 3.2.1.3 and 3.2.2: nothing goes to nobody or to many, and a frame for many says nothing of a port."""
    wire = network.wire
    wire.exchange(e.frame(e.arp(1), e.ARP, to=e.BROADCAST), lambda f: f[12:14] == b"\x08\x06")
    before, heard = network.statistics(), len(wire.heard)
    for source in NO_HOST:
        wire.send(e.frame(e.ipv4(e.icmp_echo(), e.ICMP, source=source)))
        wire.send(e.frame(e.ipv4(e.udp(b"abc", 9999, source=source), e.UDP, source=source)))
    for source in ["255.255.255.255", "127.0.0.1", "10.0.2.255", e.GUEST_IP]:
        for operation in (1, 2):
            wire.send(e.frame(e.arp(operation, sender_ip=source), e.ARP))
    for mac in (e.BROADCAST, ALL_HOSTS):
        wire.send(e.frame(e.ipv4(e.udp(b"abc", 9999), e.UDP), to=mac))
        wire.send(e.frame(e.ipv4(e.udp(b"abc", 9999, to="10.0.2.255"), e.UDP, to="10.0.2.255"), to=mac))
    assert wire.exchange(e.frame(e.ipv4(e.icmp_echo(b"alive"), e.ICMP)))
    assert len(wire.heard) == heard + 1
    after = network.difference(before)
    assert after["ip bad: source address"] == 2 * len(NO_HOST)
    assert after["arp bad: sender's address is no host's"] == 6
    assert after["arp packets of others with our address"] == 2
    assert after["ip bad: one host's address in a frame for many"] == 2
    assert after["udp broadcast datagrams dropped: no socket"] == 2
    assert "icmp port unreachable sent" not in after
    assert network.machine.command("arp -a").count(" at ") == 1  # we
    check_record(network)


def test_echo_does_not_answer_everybody(network):
    """Each kind that `udp echo` passes over has a counter, and what it answers has come back."""
    wire, machine = network.wire, network.machine
    wire.exchange(e.frame(e.arp(1), e.ARP, to=e.BROADCAST), lambda f: f[12:14] == b"\x08\x06")
    start_echo(machine)
    before = network.counters()
    heard = len(wire.heard)
    wire.send(e.frame(e.ipv4(e.udp(b"all", 7, to="255.255.255.255"), e.UDP, to="255.255.255.255"), to=e.BROADCAST))
    wire.send(e.frame(e.ipv4(e.udp(b"net", 7, to="10.0.2.255"), e.UDP, to="10.0.2.255"), to=e.BROADCAST))
    for _ in range(3):
        wire.send(e.frame(e.ipv4(e.udp(b"loop", 7, source_port=7), e.UDP)))
    for _ in range(4):
        wire.send(e.frame(e.ipv4(e.udp(b"nobody", 7, source_port=0), e.UDP)))
    answer = wire.exchange(e.frame(e.ipv4(e.udp(b"me", 7, source_port=8), e.UDP)), e.is_udp)
    assert answer[42:44] == b"me" and len(wire.heard) == heard + 1
    after = network.counters()
    kinds = {"broadcasts not answered": 2, "echoes' ports not answered": 3, "port 0 not answered": 4, "answered": 1}
    for kind, times in kinds.items():
        assert after[f"udp echo {kind}"] - before.get(f"udp echo {kind}", 0) == times, kind
    check_record(network)


def test_unreachable_port_is_told(network):
    wire = network.wire
    sent = e.frame(e.ipv4(e.udp(b"hello", 9999), e.UDP))
    answer = wire.exchange(sent, lambda f: f[12:14] == b"\x08\x00" and f[23] == e.ICMP)
    assert answer[34:36] == b"\x03\x03" and answer[42:70] == sent[14:42]
    assert e.checksum(answer[34:70]) == 0


def test_flood(network):
    """More than the guest takes: every frame is either handed up or counted as lost, and it lives on."""
    wire, number = network.wire, 4000
    start_echo(network.machine)
    before = network.statistics()
    wire.exchange(e.frame(e.ipv4(e.icmp_echo(b"first"), e.ICMP)))
    for n in range(number):
        payload = b"%05d" % n + b"x" * (n % 1400)
        packet = e.udp(payload, 7) if n % 2 else e.icmp_echo(payload, sequence=n & 0xFFFF)
        wire.send(e.frame(e.ipv4(packet, e.UDP if n % 2 else e.ICMP)))
        wire.receive(lambda f: False, patience=0.0001)
    while wire.receive(lambda f: True, patience=1):
        pass
    assert wire.exchange(e.frame(e.ipv4(e.icmp_echo(b"last"), e.ICMP)), lambda f: f[42:46] == b"last")
    counts, stats = check_record(network), network.statistics()
    stats = {name: value - before[name] for name, value in stats.items() if name in before}
    handed_up = stats["arp packets received"] + stats["ip packets received"]
    assert counts[f"{network.name} ipackets"] - counts[f"{network.name} idrops"] == handed_up
    assert stats["udp datagrams dropped: no socket"] == 0
    assert stats["ip packets received"] == stats["icmp messages received"] + stats["udp datagrams received"]
    assert stats["icmp echo requests received"] == stats["icmp echo replies sent"]
    assert (
        stats["udp datagrams received"]
        == stats["udp datagrams delivered"] + stats["udp datagrams dropped: socket full"]
    )
    assert stats["udp datagrams delivered"] == stats["udp datagrams sent"]


def test_control_c_ends_a_ping_with_its_summary(network):
    machine = network.machine
    machine.send(b"ping 127.0.0.1\r")
    machine.expect(rb"icmp_seq=1 ")
    machine.send(b"\x03")
    text = machine.expect(rb"(.*?)" + guest.NEW_PROMPT).group(1)
    assert b"0.0% packet loss" in text
    assert machine.status() == 130


@pytest.mark.parametrize("noticed_by", ["sending", "asking"])
def test_a_chip_that_has_stopped(boot, noticed_by):
    """STOP is written behind the driver's back: the next frame, or whoever asks for the counts, starts the chip."""
    machine = boot(arguments=user_network("pcnet"))
    machine.prompt()
    assert " 0.0% packet loss" in machine.command("ping -c 2 -i 0.1 10.0.2.2")
    card = machine.command("lspci -v").split("1022:2000")[1]
    port = int(re.search(r"base 0: ([0-9a-f]{8}) ports", card).group(1), 16) & ~3
    for _ in range(3):
        machine.monitor(f"o/h {port + 0x12:#x} 0")
        for stop in ("0x0400", "0x0004"):  # QEMU's monitor writes in the order of the CPU's bytes
            machine.monitor(f"o/h {port + 0x10:#x} {stop}")
        if noticed_by == "asking":
            machine.command("kstat -p net:0:pcnet0")
        assert " 0.0% packet loss" in machine.command("ping -c 40 -i 0.001 10.0.2.2")
    counts = counters(machine.command("vmstat -e -v"))
    assert counts["pcnet0 restarts"] == 3
    assert counts["pcnet0 opackets"] == counts["pcnet0 ipackets"]
