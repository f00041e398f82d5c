# SPDX-License-Identifier: BSD-2-Clause
"""A host on the guest's network, made by hand: frames as bytes over a datagram socket of QEMU's, and QEMU's own
record of what passed (filter-dump's pcap file)."""

import select
import socket
import struct
import time

PATIENCE = 30
BROADCAST = b"\xff" * 6
GUEST_IP, OUR_IP = "10.0.2.15", "10.0.2.77"
OUR_MAC = bytes.fromhex("0200000000aa")
GUEST_MAC = bytes.fromhex("525400123456")
IPV4, ARP = 0x0800, 0x0806
# QEMU's devices, and what the guest calls the first of each.
CARDS = {"virtio-net-pci": "vioif0", "pcnet": "pcnet0"}
ICMP, UDP = 1, 17


def address(text):
    return socket.inet_aton(text)


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(payload, kind=IPV4, to=GUEST_MAC, source=OUR_MAC):
    """Filled up to what Ethernet demands; QEMU would do that behind its record."""
    return (to + source + struct.pack(">H", kind) + payload).ljust(60, b"\0")


def ipv4(payload, protocol, to=GUEST_IP, source=OUR_IP, version=0x45, total=None, fragment=0, spoil=0):
    """spoil is added to the right checksum."""
    length = 20 + len(payload) if total is None else total
    head = struct.pack(">BBHHHBBH", version, 0, length, 1, fragment, 64, protocol, 0)
    head += address(source) + address(to)
    total = (checksum(head) + spoil) & 0xFFFF
    return head[:10] + struct.pack(">H", total) + head[12:] + payload


def icmp_echo(payload=b"", kind=8, number=7, sequence=1, spoil=0):
    head = struct.pack(">BBHHH", kind, 0, 0, number, sequence)
    total = (checksum(head + payload) + spoil) & 0xFFFF
    return head[:2] + struct.pack(">H", total) + head[4:] + payload


def udp(payload, port, source_port=5000, to=GUEST_IP, source=OUR_IP, length=None, sum_=None):
    size = 8 + len(payload) if length is None else length
    head = struct.pack(">HHHH", source_port, port, size, 0)
    pseudo = address(source) + address(to) + struct.pack(">BBH", 0, UDP, size)
    total = (checksum(pseudo + head + payload) or 0xFFFF) if sum_ is None else sum_
    return head[:6] + struct.pack(">H", total) + payload


def arp(operation, sender_ip=OUR_IP, target_ip=GUEST_IP, sender=OUR_MAC, target=b"\0" * 6, kinds=(1, IPV4, 6, 4)):
    head = struct.pack(">HHBBH", *kinds, operation)
    return head + sender + address(sender_ip) + target + address(target_ip)


class Wire:
    """Our end. Every frame that the guest sent is in `heard`; `sent` is how many we sent."""

    def __init__(self, folder, card, record=True, more=""):
        self.card, self.name, self._record, self._more = card, CARDS[card], record, more
        self.sent = 0
        self._ours, self._theirs = folder / "wire-host", folder / "wire-guest"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self._ours))
        self.heard = []
        self.dump = folder / "net.pcap"

    def arguments(self):
        """For QEMU."""
        peer = f"local.type=unix,local.path={self._theirs},remote.type=unix,remote.path={self._ours}"
        device = f"{self.card},netdev=net0,mac=52:54:00:12:34:56{self._more}"
        arguments = ["-netdev", f"dgram,id=net0,{peer}", "-device", device]
        if self._record:
            arguments += ["-object", f"filter-dump,id=dump,netdev=net0,file={self.dump}"]
        return arguments

    def send(self, data):
        self._socket.sendto(data, str(self._theirs))
        self.sent += 1

    def receive(self, wanted, patience=PATIENCE):
        """The first frame that `wanted` likes; answers the guest's ARP requests for us meanwhile. None if late."""
        deadline = time.monotonic() + patience
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self._socket], [], [], left)[0]:
                break
            data = self._take()
            if wanted(data):
                return data
        return None

    def _take(self):
        data = self._socket.recv(65536)
        self.heard.append(data)
        if data[12:14] == b"\x08\x06" and data[20:22] == b"\0\x01" and data[38:42] == address(OUR_IP):
            self.send(frame(arp(2, target=data[6:12]), ARP, to=data[6:12]))
        return data

    def take_all(self):
        """What has come already, so that the guest's side never has to keep much: QEMU would drop it."""
        while select.select([self._socket], [], [], 0)[0]:
            self._take()

    def exchange(self, data, wanted=lambda answer: is_reply(answer), patience=PATIENCE):
        self.send(data)
        return self.receive(wanted, patience)

    def close(self):
        self._socket.close()


def is_reply(data):
    return data[12:14] == b"\x08\x00" and data[23] == ICMP and data[34] == 0


def is_udp(data):
    return data[12:14] == b"\x08\x00" and data[23] == UDP


def recorded(path):
    """The frames in a pcap file of the host's byte order, in order."""
    data = path.read_bytes()
    frames, at = [], 24
    assert struct.unpack_from("=I", data)[0] == 0xA1B2C3D4
    while at + 16 <= len(data):
        kept, length = struct.unpack_from("=II", data, at + 8)
        assert kept == length, "the record cuts frames"
        frames.append(data[at + 16 : at + 16 + kept])
        at += 16 + kept
    return frames
