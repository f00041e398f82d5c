# SPDX-License-Identifier: BSD-2-Clause
"""Answers that a virtio disk cannot give are counted, each once. QEMU's gives none: a debugger changes what the driver reads."""

import pathlib
import tempfile

import pytest

import gdb_remote
import guest
from test_virtio import SIZE, count, crc, disk, status_of

ORDER = {"x86_64": "little", "mips": "big"}
# By gdb's numbers: arguments, what a function returns, and on MIPS where to; the PC's is on the stack.
ARGUMENTS = {"x86_64": (5, 4, 3), "mips": (4, 5, 6)}
RESULT = {"x86_64": 0, "mips": 2}
STACK, RETURN = 7, 31
CHAIN, DEPTH = 3, 64  # descriptors of a request; requests at a time
READ = "dd if=vd0 of=null bs=512 count=1"
STRANGE = "vd0 strange answers"


class Liar:
    """A debugger that changes what the functions of a machine are told."""

    def __init__(self, arch, stub):
        self._arch, self._symbols = arch, guest.symbols(arch)
        self._debugger = gdb_remote.Debugger(stub)
        self._register(0)  # takes all answers to the stop
        self._debugger.go_on()

    def run_to(self, function, begin):
        """BEGIN() makes something come that leads to FUNCTION."""
        self._debugger.stop()
        begin()
        self._debugger.run_to(self._symbols[function])

    def run_to_return(self):
        if self._arch == "mips":
            self._debugger.run_to(self._register(RETURN))
        else:
            self._debugger.run_to(int.from_bytes(self._debugger.read(self._register(STACK), 8), "little"))

    def argument(self, n):
        return self._register(ARGUMENTS[self._arch][n])

    def result(self):
        return self._register(RESULT[self._arch])

    def set_argument(self, n, value):
        self._set(ARGUMENTS[self._arch][n], value)

    def set_result(self, value):
        self._set(RESULT[self._arch], value)

    def set_word(self, address, value):
        self._debugger.write(address, value.to_bytes(4, ORDER[self._arch]))

    def go_on(self):
        self._debugger.go_on()

    def _register(self, number):
        return self._debugger.register(number, ORDER[self._arch])

    def _set(self, number, value):
        if self._arch == "mips":
            self._debugger.set_among_all({number: value})
        else:
            self._debugger.set_register(number, value)


@pytest.fixture
def fresh(arch, boot, tmp_path):
    """(machine, liar, image) with a disk that nobody has asked for anything yet."""
    with tempfile.TemporaryDirectory(prefix="quipu-liar-") as folder:
        stub, image = pathlib.Path(folder, "gdb"), tmp_path / "disk.img"
        arguments = disk(image, seed=4) + ["-chardev", f"socket,path={stub},server=on,wait=off,id=gdb", "-gdb", "chardev:gdb"]
        machine = boot(words="quiet", arguments=arguments)
        machine.prompt()
        yield machine, Liar(arch, stub), image


@pytest.fixture
def lied(fresh):
    """The same, read already."""
    machine, _liar, _image = fresh
    assert status_of(machine, READ)[0] == 0 and count(machine, STRANGE) == 0
    return fresh


def test_a_serial_number_that_is_too_long(fresh):
    """It has none then; the disk is as good as any."""
    machine, liar, image = fresh
    liar.run_to("virtio_blk_id_wait", lambda: machine.send(READ.encode() + b"\r"))
    answered = False
    while not answered:
        liar.go_on()
        liar.run_to("virtio_queue_take", lambda: None)
        place = liar.argument(2)
        liar.run_to_return()
        answered = liar.result() & 0xFF == 1
    liar.set_word(place, 22)
    liar.go_on()
    machine.prompt()
    assert machine.status() == 0 and count(machine, STRANGE) == 1
    assert status_of(machine, "sum vd0") == (0, crc(image.read_bytes()) + " vd0\n")
    assert count(machine, STRANGE) == 1


def test_too_much_written(lied):
    """The request fails, and is told."""
    machine, liar, image = lied
    for lies in range(1, 4):
        liar.run_to("virtio_blk_judge", lambda: machine.send(READ.encode() + b"\r"))
        assert liar.argument(2) & 0xFFFFFFFF == 513, "the data and the status"
        liar.set_argument(2, 514)
        liar.go_on()
        machine.expect(rb"error")
        machine.prompt()
        assert machine.status() == 1
        assert count(machine, STRANGE) == lies
    assert status_of(machine, "sum vd0") == (0, crc(image.read_bytes()) + " vd0\n")
    assert count(machine, STRANGE) == 3


@pytest.mark.parametrize("head", [CHAIN + 1, CHAIN * DEPTH, CHAIN * (DEPTH - 1), 0xFFFFFFFF])
def test_chains_that_there_are_not(lied, head):
    """In the middle of one, beyond the last, one that nobody has asked for. The request is lost, and tried again after a reset."""
    machine, liar, image = lied
    machine.command("devctl inject vd0 timeout=2000")
    resets = count(machine, "vd0 resets")
    liar.run_to("virtio_queue_take", lambda: machine.send(READ.encode() + b"\r"))
    place = liar.argument(1)
    liar.run_to_return()
    assert liar.result() & 0xFF == 1, "there is an answer"
    liar.set_word(place, head)
    liar.go_on()
    machine.prompt()
    assert machine.status() == 0
    assert count(machine, STRANGE) == 1 and count(machine, "vd0 resets") > resets
    assert status_of(machine, "sum vd0") == (0, crc(image.read_bytes()) + " vd0\n")
    assert count(machine, STRANGE) == 1


def test_size_that_cannot_be(lied):
    """A new one is not believed; the next is."""
    machine, liar, image = lied
    data = image.read_bytes()
    liar.run_to("virtio_config64", lambda: machine.monitor(f"block_resize disk {2 * SIZE}B"))
    liar.run_to_return()
    assert liar.result() == 2 * SIZE // 512
    liar.set_result(1 << 54)
    liar.go_on()
    assert status_of(machine, "sum vd0") == (0, crc(data) + " vd0\n")
    assert count(machine, STRANGE) == 1
    machine.monitor(f"block_resize disk {SIZE + 512}B")
    assert status_of(machine, "sum vd0") == (0, crc(data + bytes(512)) + " vd0\n")
    assert count(machine, STRANGE) == 1
