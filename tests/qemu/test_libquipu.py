# SPDX-License-Identifier: BSD-2-Clause
"""libquipu.a and /bin/kstat: programs that read statistics, against the shell's commands, QEMU's own counts and sums."""

import re
import subprocess
from fractions import Fraction

import linux_program
import pytest

import disk
import guest

pytestmark = pytest.mark.programs

MIB = 1 << 20


def built(name, arch):
    """/bin/kstat, or tests/programs/NAME.c with the library."""
    if name == "kstat":
        guest.make(f"build/{arch}/user/kstat")
        return guest.ROOT / "build" / arch / "user" / "kstat"
    return linux_program.counting(name, arch, "libquipu.a", "-Wno-unused-result")


@pytest.fixture
def machine(boot, arch, tmp_path):
    """machine(PROGRAM ..., more of boot's) at its prompt."""

    def start(*programs, arguments=(), **options):
        return linux_program.start(boot, tmp_path, {name: built(name, arch) for name in programs}, arguments, **options)

    return start


HEADERS = sorted(str(path.relative_to(guest.ROOT / "user" / "include")) for path in (guest.ROOT / "user" / "include").rglob("*.h"))


@pytest.mark.parametrize("language", ["-std=c89", "-std=c99", "-std=gnu17", "-xc++"])
def test_headers_stand_alone(arch, language):
    """Each of them, first and alone, as old and as new C and as C++ have it."""
    if language == "-xc++" and guest.need("g++"):
        pytest.skip("no C++ compiler")
    for header in HEADERS:
        compiler = ["g++"] if language == "-xc++" else [linux_program.COMPILERS[arch], "-xc"]
        command = [*compiler, language, "-fsyntax-only", "-Wall", "-Werror", "-I", str(guest.ROOT / "user" / "include"), "-"]
        text = f"#include <{header}>\nint main(void) {{ return 0; }}\n"
        done = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
        assert done.returncode == 0, (header, done.stderr)


def test_seed_names():
    """What a program of 1997 finds in <sys/kstat.h>."""
    text = "#include <sys/kstat.h>\nulong_t u; float f(kstat_named_t *k) { return k->value.f; } double d(kstat_named_t *k) { return k->value.d; }\n"
    command = ["gcc", "-xc", "-fsyntax-only", "-Wall", "-Werror", "-I", str(guest.ROOT / "user" / "include"), "-"]
    subprocess.run(command, input=text, text=True, check=True)


def test_example_compiles_unchanged(arch):
    """`./quipu exec FILE.c` finds the headers and the library."""
    result = guest.launch("exec", "--arch", arch, "-e", "none", linux_program.SOURCES / "kstat_io.c")
    assert result.status == 0 and re.search(r"^console0( \d+){8}$", result.text, re.M), result.said


def test_example(machine, tmp_path):
    """The loop's numbers are the shell's, and move as QEMU's do."""
    drive = disk.ide(disk.image(tmp_path, "disk", 4 * MIB, 1), 0, id="probe")
    running = machine("kstat_io", arguments=drive)

    def row(name):
        found = re.search(rf"^{name} (.*)$", running.command("kstat_io"), re.M)
        return list(map(int, found[1].split()))

    before, ours = disk.blockstats(running, "probe"), row("wd0")
    running.command("dd if=wd0 of=null bs=4k count=100")
    running.command("dd if=pattern:1 of=wd0 bs=8k count=20 seek=7")
    after, now = disk.blockstats(running, "probe"), row("wd0")
    theirs, moved = disk.moved(after, before), [b - a for a, b in zip(ours, now)]
    assert moved[:4] == [100 * 4096, 20 * 8192, 100, 20]
    assert moved[0] == theirs["rd_bytes"] and moved[2] == theirs["rd_operations"]
    assert moved[1] == theirs["wr_bytes"] and moved[3] == theirs["wr_operations"]
    shell = disk.io(running.command("kstat -p wd:0"))
    names = ("nread", "nwritten", "reads", "writes", "rtime", "rlentime", "wcnt", "rcnt")
    assert now == [shell[name] for name in names]


# Of kstats that do not move while nothing else goes on, all but the time of the reading.
STILL = [
    "-p unix:0:kmem_alloc_32:/^(align|buf_size|slab_size|class|crtime)$/",
    "-p -s /^(class|crtime|state|brand|event|number|pmu)$/",
    "-l",
    "-l -c misc",
    "-C cpu_info:::brand",
    "-V -m cpu_info -s brand",
    "-p -m wd -i 0 -n wd0 -s /^(n|reads|writes|[rw]cnt|[rw]time|[rw]lentime)/",
    "-p -m wderror",
    "-p cpu_info:0::state cpu_info:0:cpu_info0:state",
    "-j -s /^(nread|nwritten|reads|writes)$/ -n wd0",
    "-s nread wd:0:wd0:x",
    "-c disk -s reads",
    "-c disk -s reads -n console0",
    "-n none",
    "-q -n none",
    "-q",
    "-jl cpu_info::/cpu/:brand",
    "-jq",
    "-p -s /[/",
    "-T x",
    "wd 0",
    "wd 1 0",
    "-m wd -m wd",
]


def words(command):
    return " ".join(f"'{word}'" for word in command.split())


def test_kstat_is_the_shells(machine, tmp_path):
    """The same words and the same status, byte for byte, but for the time at which a kstat was read."""
    running = machine("kstat", arguments=disk.ide(disk.image(tmp_path, "disk", MIB, 1), 0))
    running.command("sum wd0; exec kstat -q; true; kstat -q")
    differing = re.compile(r"snaptime.*")

    def still(text):
        """But for the program's own process, and buckets of service times, each of which is there from its first time on."""
        lines = differing.sub("", text).splitlines()[1:]
        return [line for line in lines if not re.match(r"process:|\w+:\d+:\w+_service:\d+_le_", line)]

    for asked in STILL:
        shell, code = running.command(f"kstat {words(asked)}"), running.status()
        program = running.command(f"exec kstat {words(asked)}")
        assert still(program) == still(shell), asked
        assert running.status() == code, asked
    for asked in ("-x", "-m"):  # said in getopt's words
        program = running.command(f"exec kstat {asked}")
        assert "usage: kstat [-CVjlpq]" in program and running.status() == 2


def test_kstat_repeats(arch):
    """Reports at an interval, above each the time, on standard output alone; complaints on standard error."""
    result = linux_program.run(built("kstat", arch), arch, "-p", "-T", "u", "cpu_info:0::state", "0.1", "3")
    found = re.findall(r"^(\d{10})\ncpu_info:0:cpu_info0:state\ton-line\n", result.text, re.M)
    assert len(found) == 3 and result.status == 0 and not result.stderr, result.said
    result = linux_program.run(built("kstat", arch), arch, "-T", "z")
    assert (result.stdout, result.status) == (b"", 2) and b"bad form of time" in result.stderr


@pytest.mark.parametrize("word", ["errors", "library", "strings", "chain", "sysctl", "evcnt"])
def test_library(arch, word):
    """What tests/programs/statistics.c says that must hold."""
    result = linux_program.run(built("statistics", arch), arch, word)
    assert (result.text, result.status) == ("ok\n", 0), result.said


def test_writing(machine):
    """A kstat that may be written: numbers and text arrive, what is refused changes nothing."""
    running = machine("statistics", test=True)
    running.command("selftest writable-kstat-now")
    assert "ok" in running.command("statistics write").split()
    assert "selftest:0:writable:text\tsecond" in running.command("kstat -p selftest")


def test_headers(arch):
    """Each header compiles alone, with all warnings."""
    include = guest.ROOT / "user" / "include"
    for header in sorted(include.rglob("*.h")):
        command = [linux_program.COMPILERS[arch], "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", include, "-x", "c", "-"]
        subprocess.run(command, input=f"#include <{header.relative_to(include)}>\n".encode(), check=True)


def in_use(running):
    """Objects by size; a call that nobody made before has a counter, of 256 bytes, from then on."""
    calls = len(re.findall(r"^syscall ", running.command("vmstat -e"), re.M))
    objects = dict(re.findall(r"^ +(\d+|larger) +(\d+) +\d+ +\d+", running.command("mem"), re.M))
    return {**objects, "256": int(objects["256"]) - calls}


def test_nothing_is_left(machine):
    """1,000 times opened and read and closed, and each test of errors and ends: objects are what they were."""
    running = machine("statistics", "kstat", "counters")
    everything = "statistics errors; statistics chain; statistics sysctl; counters inherit 1000; exec kstat -q"
    assert "line" not in running.command(f"{everything}; statistics loop 10")
    in_use(running)  # commands have a kstat from their first end on
    before = in_use(running)
    assert "line" not in running.command(f"{everything}; statistics loop 1000")
    assert in_use(running) == before


def test_devstat(machine, tmp_path):
    """A device's sums are its kstat's; made-up records give what was worked out by hand."""
    running = machine("devices", arguments=disk.ide(disk.image(tmp_path, "disk", MIB, 1), 0))
    running.command("sum wd0")
    found = running.command("devices wd0").split()[-4:]
    ours = disk.io(running.command("kstat -p wd:0"))
    assert [int(word) for word in found] == [ours[name] for name in ("nread", "nwritten", "reads", "writes")]
    assert ours["nread"] >= MIB
    sums = re.search(r"^(\d+ \d+ \d+ \d+) (.*)\n-1 -1$", running.command("devices"), re.M)
    total, seconds = 3 * 65536 + 8192, Fraction(5, 2)
    assert sums[1] == f"{total} 3 {total // 512} 2"
    expected = [Fraction(total, 1024 * 4), 4 / seconds, Fraction(total, MIB) / seconds]
    expected += [Fraction(6, 3), Fraction(3, 2), Fraction(1, 2) / seconds * 100, Fraction(75, 10000)]
    assert sums[2] == " ".join(f"{float(each):.6f}" for each in expected)


def test_counters(arch):
    """Turns of a loop are so many instructions each, the thread's own and a grandchild's."""

    def counted(*arguments):
        return int(linux_program.run(built("counters", arch), arch, *arguments).text)

    each = 2  # as loop.h says
    assert counted("loop", "1000") == 1000 * each
    assert counted("loop", "5000") == 5000 * each
    assert counted("inherit", "1000") == 1000 * each


def test_counter_errors(arch):
    """As docs/PMC.md lists them; another thread has nothing configured."""
    lines = linux_program.run(built("counters", arch), arch, "errors").lines()
    assert lines[:7] == ["EINVAL", "ENXIO", "EINVAL", "EINVAL", "EPERM", "EINVAL", "ENODEV"]
    assert lines[7:] == ["0", "EINPROGRESS", "0", "0", "value: No such device or address", "soft same none"]


def test_names(arch):
    """The library has the classic names; others say whose they are."""
    made = built("kstat", arch).parent / "libquipu.a"
    listed = subprocess.run(["nm", "-g", "--defined-only", made], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^\w+ \w (\w+)$", listed, re.M)
    assert "kstat_open" in names and "devstat_getdevs" in names
    of_1998 = r"get(numdevs|generation|version|devs)|checkversion|selectdevs|buildmatch|compute_(stats|etime)"
    assert all(re.match(rf"(kstat|devstat|pmc|quipu_)_|(gethrtime|match_table|syssgi|sysctlbyname|{of_1998})$", name) for name in names)
