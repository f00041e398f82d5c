# SPDX-License-Identifier: BSD-2-Clause
"""Random frames for a guest's card, and what its protocols must count for each: RFC 791, 792, 826 and 768 as a host
obeys them, written down again here. Frames whose answer would need an address that nobody on our wire has are not
made, so that what the guest sends is known as well.
"""

import collections
import struct

import ethernet as e

MOST = 1514
NET, MASK = "10.0.2.0", 24
ALL_HOSTS = b"\x01\0\x5e\0\0\x01"
MACS = [e.GUEST_MAC] * 4 + [e.BROADCAST, ALL_HOSTS]
SOURCES = [e.OUR_IP] * 6 + ["0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.9", "240.0.0.1", "255.255.255.254"]
SOURCES += ["255.255.255.255", "10.0.2.0", "10.0.2.255", e.GUEST_IP]
TARGETS = [e.GUEST_IP] * 6 + ["10.0.2.255", "255.255.255.255", "224.0.0.1", "10.0.2.16", "127.0.0.1", "8.8.8.8", "10.0.2.0"]


def number(text):
    return int.from_bytes(e.address(text), "big")


def is_host(address):
    """Whether a single host may have it, as seen from our wire."""
    first = address >> 24
    return 0 < first < 224 and first != 127 and address not in (number(NET), number("10.0.2.255"))


def is_for_many(address):
    return address >> 28 == 14 or address in (0xFFFFFFFF, number("10.0.2.255"), number("127.255.255.255"))


def checksum_is_right(data):
    return e.checksum(data) == 0


class Unknown(Exception):
    """The guest would answer somebody who is not there."""


def answered(counts, source):
    if source != number(e.OUR_IP):
        raise Unknown
    counts["ip packets sent"] += 1


def count_arp(data, counts):
    counts["arp packets received"] += 1
    kinds, operation = data[:6], struct.unpack_from(">H", data, 6)[0]
    sender_mac, sender, target = data[8:14], *struct.unpack_from(">I6xI", data, 14)
    if kinds != bytes.fromhex("000108000604") or operation not in (1, 2) or sender_mac[0] & 1:
        counts["arp bad packets dropped"] += 1
        return
    if sender and not is_host(sender):
        counts["arp bad: sender's address is no host's"] += 1
        return
    counts["arp requests received" if operation == 1 else "arp replies received"] += 1
    if sender == number(e.GUEST_IP):
        counts["arp packets of others with our address"] += 1
        return
    if sender not in (0, number(e.OUR_IP)) or sender_mac != e.OUR_MAC:
        raise Unknown  # it would be noted, and others forgotten for it
    if operation == 1 and target == number(e.GUEST_IP):
        counts["arp replies sent"] += 1


def count_icmp(data, source, target, counts):
    counts["icmp messages received"] += 1
    if len(data) < 8:
        counts["icmp bad: too short for a header"] += 1
    elif not checksum_is_right(data):
        counts["icmp bad: checksum"] += 1
    elif data[0] == 8:
        counts["icmp echo requests received"] += 1
        if is_for_many(target):
            counts["icmp broadcast echo requests not answered"] += 1
        else:
            counts["icmp echo replies sent"] += 1
            answered(counts, source)
    elif data[0] == 0:
        counts["icmp echo replies received"] += 1
        counts["icmp echo replies that nobody awaits"] += 1
    elif data[0] == 3:
        counts["icmp destination unreachable received"] += 1
    else:
        counts["icmp messages of another type dropped"] += 1


def count_udp(data, addresses, target, counts):
    counts["udp datagrams received"] += 1
    if len(data) < 8:
        counts["udp bad: too short for a header"] += 1
        return
    length, total = struct.unpack_from(">HH", data, 4)
    if length < 8 or length > len(data):
        counts["udp bad: length"] += 1
        return
    pseudo = addresses + struct.pack(">BBH", 0, e.UDP, length)
    if total and not checksum_is_right(pseudo + data[:length]):
        counts["udp bad: checksum"] += 1
        return
    if total == 0:
        counts["udp datagrams without a checksum"] += 1
    if is_for_many(target):
        counts["udp broadcast datagrams dropped: no socket"] += 1
        return
    counts["udp datagrams dropped: no socket"] += 1
    counts["icmp port unreachable sent"] += 1
    answered(counts, int.from_bytes(addresses[:4], "big"))


def fault_of(data):
    """What is wrong with the header itself; None if nothing."""
    header = (data[0] & 15) * 4
    total, fragment = struct.unpack_from(">H2xH", data, 2)
    if data[0] >> 4 != 4:
        return "bad: version is not 4"
    if header < 20 or header > len(data):
        return "bad: header length"
    if not checksum_is_right(data[:header]):
        return "bad: header checksum"
    if total < header or total > len(data):
        return "bad: total length"
    return "fragments dropped" if fragment & 0x3FFF else None


def count_ip(data, for_many, counts):
    counts["ip packets received"] += 1
    verdict = fault_of(data)
    if verdict:
        counts[f"ip {verdict}"] += 1
        return
    header, total = (data[0] & 15) * 4, struct.unpack_from(">H", data, 2)[0]
    source, target = struct.unpack_from(">II", data, 12)
    if not is_host(source):
        verdict = "bad: source address"
    elif source == number(e.GUEST_IP):
        verdict = "bad: source is our own address"
    elif target >> 24 == 127 or not (target == number(e.GUEST_IP) or is_for_many(target)):
        verdict = "packets not for this host"
    elif for_many and not is_for_many(target):
        verdict = "bad: one host's address in a frame for many"
    elif data[9] not in (e.ICMP, e.UDP):
        verdict = "packets of an unknown protocol"
    counts[f"ip {verdict or 'packets for this host'}"] += 1
    if verdict is None and data[9] == e.ICMP:
        count_icmp(data[header:total], source, target, counts)
    elif verdict is None:
        count_udp(data[header:total], data[12:20], target, counts)


def counted(data):
    """Counter of what the guest must count for a frame; None if it may not be sent."""
    counts = collections.Counter()
    kind = struct.unpack_from(">H", data, 12)[0]
    try:
        if kind == e.ARP:
            count_arp(data[14:], counts)
        elif kind == e.IPV4:
            count_ip(data[14:], data[0] & 1, counts)
        else:
            counts["unknowns"] += 1
    except Unknown:
        return None
    return counts


def _payload(dice):
    return dice.randbytes(dice.choice([0, 1, 7, 8, 9, 40, 56, 200, 1000, 1400]))


def _packet(dice):
    source, target = dice.choice(SOURCES), dice.choice(TARGETS)
    kind = dice.randrange(3)
    if kind == 0:
        body, protocol = e.icmp_echo(_payload(dice), dice.choice([8, 8, 0, 3, 5, 13, dice.randrange(256)]), 0xFFFF), e.ICMP
    elif kind == 1:
        ports = dice.randrange(65536), dice.choice([0, 7, 5000, dice.randrange(65536)])
        body = e.udp(_payload(dice), *ports, target, source, sum_=dice.choice([None, None, 0, 1]))
        protocol = e.UDP
    else:
        body, protocol = _payload(dice), dice.choice([1, 6, 17, 99])
    return bytearray(e.ipv4(body, protocol, target, source, fragment=dice.choice([0, 0, 0, 0, 0x4000, 0x2000, 9])))


def _spoil(dice, packet):
    """Some bytes of it are others; half of the time the header's sum is right again."""
    for _ in range(dice.choice([1, 1, 2, 8])):
        packet[dice.randrange(min(len(packet), dice.choice([20, 28, 1500])))] = dice.randrange(256)
    header = (packet[0] & 15) * 4
    if dice.randrange(2) and 20 <= header <= len(packet):
        packet[10:12] = b"\0\0"
        packet[10:12] = struct.pack(">H", e.checksum(bytes(packet[:header])))


def frame(dice):
    """A random one that may be sent, and its counts."""
    while True:
        kind = dice.randrange(8)
        if kind == 0:
            data, kind = dice.randbytes(dice.randrange(46, 1501)), dice.choice([0x88B5, 0x86DD, 0x0600, 0xFFFF])
        elif kind == 1:
            sender = dice.choice([e.OUR_MAC, e.OUR_MAC, b"\xff" * 6])
            data = bytearray(e.arp(dice.choice([1, 1, 2, 7]), dice.choice(SOURCES), dice.choice(TARGETS), sender))
            if dice.randrange(4) == 0:
                data[dice.randrange(8)] ^= 1 << dice.randrange(8)
            kind = e.ARP
        else:
            data, kind = _packet(dice), e.IPV4
            if dice.randrange(2):
                _spoil(dice, data)
        made = e.frame(bytes(data), kind, dice.choice(MACS))
        counts = counted(made) if len(made) <= MOST else None
        if counts is not None:
            return made, counts
