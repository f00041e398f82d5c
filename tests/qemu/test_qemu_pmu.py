# SPDX-License-Identifier: BSD-2-Clause
"""qemu-pmu: which options it finds for which command lines, what it refuses, and what it does with a QEMU that cannot count."""

import os
import re
import shlex
import subprocess

import pytest

import guest

WRAPPER = guest.ROOT / "tools" / "qpmu" / "qemu-pmu"
# Says how often it was asked whether it can load the plugin; else what it was called with, a line each.
FAKE = """#!/bin/sh
case " $* " in
*,probe=1*) echo asked >>'{log}'; {answer} ;;
esac
printf '%s\\n' "$@"
exit 7
"""
CAN = "echo 'qpmu: probe ok api=1 target={}'; exit 1"
CANNOT = "echo \"$0: Could not load plugin /x/qpmu.so: plugin requires API version 1\" >&2; exit 1"
TARGETS = {"qemu-system-x86_64": "x86_64", "qemu-system-mips64": "mips64", "qemu-system-mipsel": "mipsel"}


class Fakes:
    def __init__(self, folder):
        self.folder, self.log, self.plugin = folder, folder / "log", folder / "qpmu.so"
        self.plugin.write_text("")
        for name, target in TARGETS.items():
            self.put(name, CAN.format(target))

    def put(self, name, answer):
        path = self.folder / name
        path.write_text(FAKE.format(log=self.log, answer=answer))
        path.chmod(0o755)

    def run(self, *arguments, qemu="qemu-system-x86_64", own=(), **environment):
        environment = {"XDG_CACHE_HOME": str(self.folder / "cache"), **environment}
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", **environment}
        command = [WRAPPER, "--plugin", self.plugin, *own, qemu, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)

    def options(self, *arguments, **how):
        """What QEMU was called with."""
        done = self.run(*arguments, **how)
        assert (done.returncode, done.stderr) == (7, ""), done.stderr
        return done.stdout.splitlines()

    def asked(self):
        return self.log.read_text().count("asked") if self.log.exists() else 0


@pytest.fixture
def fakes(tmp_path):
    return Fakes(tmp_path)


def after(option, words):
    return [value for word, value in zip(words, words[1:]) if word == option]


def contains(words, part):
    return any(words[i : i + len(part)] == part for i in range(len(words) - len(part) + 1))


# --- RAM ---

SIZES = {
    "": "128M",
    "-m 512": "512M",
    "-m 2G": "2G",
    "--m 64": "64M",
    "-m 0.5G": "0.5G",
    "-m size=1G,slots=2,maxmem=4G": "1G",
    "-m 1G,slots=2,maxmem=4G": "1G",
    "-m 4096k": "4096k",
    "-m slots=2,maxmem=4G": "128M",
    "-m 0": "128M",
    "-m 64 -m 96": "96M",
    "-m 64 -m slots=2,maxmem=4G": "64M",
    "-M pc,memory.size=256M": "256M",
    "-append '-m 5' -m 6": "6M",
    "-kernel -m -m 7": "7M",
    "-nographic -m 7": "7M",
    "-snapshot disk -m 7": "7M",
}


@pytest.mark.parametrize("line", SIZES)
def test_size_of_ram(line, fakes):
    words = fakes.options(*shlex.split(line))
    assert after("-object", words) == [f"memory-backend-memfd,id=qpmu-ram,size={SIZES[line]}"]
    assert "memory-backend=qpmu-ram" in after("-machine", words)
    assert contains(words, shlex.split(line))


MACHINES = ["-M pc", "-machine pc,accel=tcg", "-machine type=q35", "--machine q35", "-M pc-i440fx-7.2"]


@pytest.mark.parametrize("machine", [*MACHINES, "-accel tcg,thread=multi"])
def test_machine_is_kept(machine, fakes):
    words = fakes.options(*machine.split())
    assert contains(words, machine.split()) and len(after("-object", words)) == 1


def test_machine_of_unknown_ram(fakes):
    how = {"qemu": "qemu-system-mips64"}
    refused = fakes.run("-M", "boston", **how)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1 and "-m SIZE" in refused.stderr
    assert fakes.run("-M", "boston", "-m", "1G", own=["--no-irq"], **how).returncode == 7


OWN = {
    "-object memory-backend-memfd,id=a,size=1G -M pc,memory-backend=a": "",
    "-machine memory-backend=a -object qom-type=memory-backend-memfd,size=1G,id=a": "",
    "-M pc,memory-backend=a -object memory-backend-memfd,id=a,size=1G,share=on": "",
    "-M pc,memory-backend=a -object memory-backend-file,id=a,size=1G,mem-path=/dev/shm/a,,b,share=on": ",ram=/dev/shm/a,,b",
    # What cannot be seen is believed; the plugin will tell.
    "-M pc,memory-backend=a": "",
}


@pytest.mark.parametrize("line", OWN)
def test_own_memory_backend_is_kept(line, fakes):
    words = fakes.options(*line.split(), own=["--no-irq"])
    assert words == ["-plugin", f"file={fakes.plugin}{OWN[line]}", *line.split()]


# --- the serial port ---

PMI = ["-serial", "chardev:qpmu-irq"]
SERIAL = {
    # the arguments: all -serial of QEMU on a PC, and on a Malta
    "": ("vc:80Cx24C IRQ", "vc:80Cx24C null IRQ"),
    "-nographic": ("mon:stdio IRQ", "mon:stdio null IRQ"),
    "-nographic -monitor none": ("stdio IRQ", "stdio null IRQ"),
    "-nographic -qmp unix:x": ("stdio IRQ", "stdio null IRQ"),
    "-nodefaults": ("null IRQ", "null null IRQ"),
    "-nodefaults -nographic": ("null IRQ", "null null IRQ"),
    "-serial stdio": ("stdio IRQ", "stdio null IRQ"),
    "-nographic -serial file:x": ("file:x IRQ", "file:x null IRQ"),
    "--serial none": ("null IRQ", "null null IRQ"),
    "-append -serial": ("vc:80Cx24C IRQ", "vc:80Cx24C null IRQ"),
    "-serial a -serial b": (None, "a b IRQ"),
    "-serial a -serial none": (None, "a null IRQ"),
    "-serial a -serial b -serial c": (None, None),
}


@pytest.mark.parametrize("line", SERIAL)
@pytest.mark.parametrize("board", [0, 1], ids=["pc", "malta"])
def test_serial_ports(line, board, fakes):
    done = fakes.run(*line.split(), qemu=["qemu-system-x86_64", "qemu-system-mips64"][board])
    words, expected = done.stdout.splitlines(), SERIAL[line][board]
    assert done.returncode == 7
    if expected is None:
        assert done.stderr.count("\n") == 1 and "taken" in done.stderr
        assert contains(words, line.split()) and "-chardev" not in words and "irq=" not in done.stdout
        return
    assert done.stderr == ""
    ports = [value for word, value in zip(words, words[1:]) if word.lstrip("-") == "serial" and value != "-object"]
    if line == "-append -serial":
        ports = ports[1:]
    assert " ".join(ports).replace("chardev:qpmu-irq", "IRQ") == expected
    (chardev,) = after("-chardev", words)
    (plugin,) = after("-plugin", words)
    name = re.fullmatch(r"socket,id=qpmu-irq,path=(qpmu-\S+),abstract=on,server=on,wait=off", chardev)[1]
    assert plugin == f"file={fakes.plugin},irq=@{name}"


def test_each_run_has_its_own_socket(fakes):
    assert after("-chardev", fakes.options()) != after("-chardev", fakes.options())


@pytest.mark.parametrize("own", [["--no-irq"], ["--pmu", "irq=/x"], ["--pmu=rev=2.6,irq=/x"]])
def test_serial_ports_left_alone(own, fakes):
    words = fakes.options("-serial", "none", own=own)
    assert after("-serial", words) == ["none"] and "-chardev" not in words


@pytest.mark.parametrize("line", ["-M microvm", "-device isa-serial,chardev=x"])
def test_no_place_for_interrupts(line, fakes):
    done = fakes.run(*line.split())
    assert done.returncode == 7 and done.stderr.count("\n") == 1 and "no interrupt" in done.stderr
    assert "-chardev" not in done.stdout


# --- its own options ---


def test_arguments_of_the_plugin(fakes):
    words = fakes.options("-S", own=["--no-irq", "--pmu", "rev=2.6", "--pmu=total=a,,b"])
    assert after("-plugin", words) == [f"file={fakes.plugin},rev=2.6,total=a,,b"]


def test_commas_in_the_plugins_path(tmp_path):
    folder = tmp_path / "a,b c"
    folder.mkdir()
    fakes = Fakes(folder)
    (plugin,) = after("-plugin", fakes.options(own=["--no-irq"]))
    assert plugin == f"file={str(fakes.plugin).replace(',', ',,')}"


def test_arguments_arrive_as_they_are(fakes):
    odd = ["-append", "a  b'c\"d$e\\f*", "-name", "", "-kernel", "x,y"]
    assert fakes.options(*odd, own=["--no-irq"])[-6:] == odd


def test_print(fakes):
    """What the shell would make of the line is what QEMU would have been called with."""
    line = ["-append", "it's a  b", "-name", ""]
    done = fakes.run(*line, own=["--print", "--no-irq"])
    assert done.returncode == 0
    assert shlex.split(done.stdout) == ["qemu-system-x86_64", *fakes.options(*line, own=["--no-irq"])]
    odd = ["-append", "line's\nend\n\n", "-name", "a\n"]
    assert shlex.split(fakes.run(*odd, own=["--print", "--no-irq"]).stdout)[-4:] == odd


@pytest.mark.parametrize("own", [["--frobnicate"], ["--pmu"], ["--plugin"], ["-x"]])
def test_bad_options(own, fakes):
    command = [WRAPPER, *own] if own[0] in ("--pmu", "--plugin") else [WRAPPER, *own, "qemu-system-x86_64"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and own[0] in done.stderr and done.stdout == ""


def test_no_qemu_named():
    done = subprocess.run([WRAPPER], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_no_such_qemu(fakes):
    done = fakes.run(qemu="qemu-system-vax")
    assert done.returncode == 127 and done.stderr == "qemu-pmu: qemu-system-vax: not found\n"


def test_no_such_plugin():
    done = subprocess.run([WRAPPER, "--plugin", "/no/such.so", "true"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "/no/such.so" in done.stderr


@pytest.mark.parametrize("line", ["-h", "--help", "-version", "-M help", "-accel help", "-machine ?"])
def test_what_qemu_only_prints(line, fakes):
    assert fakes.options(*line.split()) == line.split()
    assert fakes.asked() == 0


# --- what can never count ---

NEVER = {
    "-enable-kvm": "kvm",
    "-accel kvm": "kvm",
    "-accel kvm -accel tcg": "kvm",
    "-machine q35,accel=kvm:tcg": "kvm",
    "-M accel=kvm": "kvm",
    "-accel hvf": "hvf",
    "-mem-path /x": "memory-backend-file",
    "-object memory-backend-ram,id=a,size=1G -numa node,memdev=a": "-numa",
    "-object memory-backend-ram,id=a,size=1G -M pc,memory-backend=a": "memory-backend-ram is not shared",
    "-object memory-backend-file,id=a,size=1G,mem-path=/x -M pc,memory-backend=a": "share=on",
    "-object memory-backend-memfd,id=a,size=1G,share=off -M pc,memory-backend=a": "share=on",
    "-object memory-backend-memfd,id=a,size=1G -device nvdimm,memdev=a": "memory-backend-memfd",
    "-plugin /x/qpmu.so,rev=2.6": "--pmu",
}


@pytest.mark.parametrize("line", NEVER)
def test_refused(line, fakes):
    done = fakes.run(*line.split())
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert done.stderr.startswith("qemu-pmu: ") and NEVER[line] in done.stderr
    assert fakes.run(*line.split(), own=["--probe"]).returncode == 2


def test_other_cpus(fakes):
    fakes.put("qemu-system-arm", "echo 'qpmu: no performance counters for arm' >&2; exit 1")
    done = fakes.run(qemu="qemu-system-arm")
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert "qemu-system-arm" in done.stderr and "arm" in done.stderr


def test_wrong_argument_of_the_plugin(fakes):
    for name in TARGETS:
        fakes.put(name, f"case \" $*\" in *rev=5*) echo 'qpmu: rev=5: no' >&2 ;; *) {CAN.format('x86_64')} ;; esac; exit 1")
    done = fakes.run(own=["--pmu", "rev=5"])
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "qemu-pmu: --pmu rev=5: rev=5: no\n")


# --- a QEMU that cannot load the plugin ---

LAME = {
    CANNOT: "plugin requires API version 1",
    "echo \"$0: -plugin: invalid option\" >&2; exit 1": "-plugin: invalid option",
    "echo 'qpmu: this QEMU has plugin interface 99' >&2; echo \"$0: -device x: no\" >&2; exit 1": "plugin interface 99",
    "kill -SEGV $$": "nothing of plugins",
}


@pytest.mark.parametrize("answer", LAME, ids=range(len(LAME)))
def test_runs_without_counters(answer, fakes):
    fakes.put("qemu-system-x86_64", answer)
    for _ in range(2):
        done = fakes.run("-serial", "none", "-append", "a b", own=["--pmu", "rev=2.6"])
        assert done.returncode == 7 and done.stdout.splitlines() == ["-serial", "none", "-append", "a b"]
        assert done.stderr.count("\n") == 1 and LAME[answer] in done.stderr and "no performance counters" in done.stderr
    assert fakes.run(own=["--probe"]).returncode == 1


def test_without_counters_anything_goes(fakes):
    """KVM is refused for the sake of counters only."""
    fakes.put("qemu-system-x86_64", CANNOT)
    assert fakes.run("-enable-kvm").stdout == "-enable-kvm\n"


# --- what is remembered ---


def test_asks_once(fakes):
    for _ in range(3):
        fakes.options()
    assert fakes.asked() == 1
    fakes.options(qemu="qemu-system-mips64")
    assert fakes.asked() == 2
    assert fakes.run(own=["--probe"]).returncode == 0 and fakes.asked() == 2


def test_asks_once_for_each_words(fakes):
    """But for a file: whether it can be written may change."""
    for words in ("rev=2.6", "rev=3.4", "rev=2.6"):
        fakes.options(own=["--pmu", words])
    assert fakes.asked() == 3  # without words, and with each
    for _ in range(2):
        fakes.options(own=["--pmu", "total=a"])
    assert fakes.asked() == 5


@pytest.mark.parametrize("change", ["qemu", "plugin", "time"])
def test_asks_again_when_something_changed(change, fakes):
    fakes.options()
    if change == "qemu":
        fakes.put("qemu-system-x86_64", CANNOT)
    elif change == "plugin":
        fakes.plugin.write_text("x")
    else:
        os.utime(fakes.plugin, (1, 1))
    done = fakes.run()
    assert fakes.asked() == 2 and ("cannot load" in done.stderr) == (change == "qemu")


def test_a_no_is_remembered_too(fakes):
    fakes.put("qemu-system-x86_64", CANNOT)
    assert fakes.run().stderr == fakes.run().stderr != ""
    assert fakes.asked() == 1


def test_a_crash_is_not_remembered(fakes):
    fakes.put("qemu-system-x86_64", "kill -SEGV $$")
    fakes.run()
    fakes.run()
    assert fakes.asked() == 2


@pytest.mark.parametrize("cache,home", [("/proc/no", ""), ("", ""), ("", "/dev/null")])
def test_no_place_to_remember(cache, home, fakes):
    for _ in range(2):
        done = fakes.run(XDG_CACHE_HOME=cache, HOME=home)
        assert (done.returncode, done.stderr) == (7, "")
    assert fakes.asked() == 2


def test_home(fakes):
    fakes.options(XDG_CACHE_HOME="", HOME=str(fakes.folder))
    assert "ok x86_64" in (fakes.folder / ".cache" / "qpmu" / "probe").read_text()


def test_the_memory_does_not_grow(fakes):
    for number in range(30):
        os.utime(fakes.plugin, (number, number))
        fakes.options()
    assert len((fakes.folder / "cache" / "qpmu" / "probe").read_text().splitlines()) == 20
    assert fakes.asked() == 30
