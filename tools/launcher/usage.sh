# SPDX-License-Identifier: BSD-2-Clause
#
# The launcher's help texts, and how it refuses what it does not understand. No decisions here.

usage() {
    cat <<'TEXT'
Quipu: a small operating system that counts, for the PC and the MIPS Malta board.

usage: ./quipu VERB [ARG ...]

  run     boot it in an emulator; your terminal becomes its serial console
  exec    run a Linux program on it: an executable, or a .c file
  profile sample what a command does, and draw a flame graph of it
  test    run every test on both machines (arguments go to pytest)
  build   compile both kernels and the ISO (arguments are make's goals)
  help    print this text

Each verb installs the Debian packages that it lacks, after saying which (QUIPU_NO_INSTALL=1: it
only lists them and exits with 3). `./quipu VERB --help` tells the rest; so does `make help`.

  ./quipu run                          a PC; then type: vmstat -i
  ./quipu run --arch mips              a Malta board
  ./quipu run -c 'sleep 1; vmstat -i'  run commands, print their output, power off
TEXT
}

usage_run() {
    cat <<'TEXT'
usage: ./quipu run [OPTION ...] [-- EMULATOR-ARG ...]

  --arch x86_64|mips         the machine: a PC or a Malta board (default x86_64)
  --on qemu|gxemul|bochs     the emulator (default qemu); gxemul is a Malta with an R10000,
                             bochs a PC that boots the ISO
  --boot direct|iso          hand the kernel over directly, or boot a GRUB ISO (PC only)
  --cpus N                   1 to 16 CPUs (mips: 1)
  --memory MIB               16 to 4096 (mips: 2048), default 128
  -c, --commands 'COMMANDS'  run these shell lines (up to 16384 bytes), print what they print,
                             power off, exit with the last command's status
  --script FILE              the same with the lines of FILE; -: of standard input, which is
                             taken without being asked for where it is no terminal
  -e                         with -c or --script: stop at the first command that fails
  --append 'WORDS'           words for the kernel, such as apic=off (`help boot` lists them)
  --disk FILE                qemu only: an IDE disk, wd0, that is this file, written to as well
  --cdrom FILE               qemu only: a CD-ROM drive, cd0, with this file as its medium
  --add HOST=/GUEST          qemu only: put a file or a folder of this machine into the guest's, as
                             /GUEST; repeatable
  --timeout SECONDS          with -c: give up after so long (default 120)
  --deterministic            qemu only: the same output, every counter included, in every run
  --singlestep               qemu only: interrupts may come after every instruction (slow)
  --net[=virtio|pcnet]       qemu only: a network card on QEMU's user network (ping 10.0.2.2);
                             default virtio, or pcnet if this QEMU has no virtio
  --no-pmu                   qemu only: without the performance counters (see docs/QPMU.md)
  --pmu NAME=VALUE,...       qemu only: arguments for the performance counters
  --checked                  boot the build that verifies the order of locks (see lockstat)
  --core                     boot the small kernel: counters and threads, no devices (make core)
  --test                     boot quipu-test, the image that has the self-tests (see selftest)
  --verbose                  show the build, the emulator's command line and, with -c, the boot log
  --gdb                      qemu only: wait for a debugger before the first instruction
  -- EMULATOR-ARG ...        the rest goes to the emulator

exit status with -c: the last command's; 70 after a panic (its report is on stderr); 124 if there
was no end in time; 0 after `reboot`. Always: 2 for bad usage, 3 if packages are missing.
TEXT
}

usage_exec() {
    cat <<'TEXT'
usage: ./quipu exec [OPTION ...] PROGRAM [ARGUMENT ...]

Runs a static Linux program in user mode on Quipu. PROGRAM is an executable for x86_64 or for
big-endian MIPS64 (n64), or a .c file, which is compiled first. Standard input, output and error
are yours; what was counted follows on standard error, as perf stat prints it.

  --arch x86_64|mips  the machine (default: the executable's; x86_64 for a .c file)
  --cpus N            1 to 16 CPUs (mips: 1)
  --memory MIB        16 to 4096 (mips: 2048), default 128
  -e EVENTS           count these, as pmc stat names them; repeatable; none: count nothing
  --add HOST=GUEST    put a file or a folder of this machine into Quipu, as GUEST; repeatable
  --timeout SECONDS   give up after so long (default 120)
  --deterministic     the same output, every count included, in every run
  --checked, --test   boot another build (see ./quipu run --help)
  --verbose           show the emulator's command line and the boot log

exit status: the program's; 128+N if signal N ended it; otherwise as ./quipu run -c.
TEXT
}

usage_profile() {
    cat <<'TEXT'
usage: ./quipu profile [-e EVENT[,PERIOD]] [-o FILE.svg] [--before 'COMMANDS'] [RUN-OPTION ...]
                       -c 'COMMAND' [-- EMULATOR-ARG ...]

Boots a machine, runs COMMAND in it under `tprof monitor -g`, prints what that prints and a table of
functions, and draws the call chains as a flame graph: an SVG file that any browser shows. A box is
as wide as its function was found in samples; a click makes it fill the picture, hovering tells its
name, samples and share. `[interrupt]` stands between what was interrupted and what served it,
`[unknown]` for callers that nobody knows. What taking samples costs is left out, and counted.

  -c 'COMMAND'            one command line of the guest's shell, without ; and &
  -e EVENT[,PERIOD]       what is sampled (default cycles, or cpu-clock without counters for them);
                          `tprof list` in the guest lists events;
                          EVENT:u counts outside the kernel only, EVENT:k inside
  -o FILE.svg             where to draw; without it there is the table only
  --before 'COMMANDS'     run first, not sampled
  RUN-OPTION              --arch, --on, --cpus, --memory, --disk, --timeout, --deterministic and the
                          other options of `./quipu run`

exit status: the command's; 1 if there were no samples; else as with `./quipu run -c`.

  ./quipu profile -e instructions,1000 -o md.svg --before 'devctl create md 2' -c 'dd if=md0 of=null'
TEXT
}

usage_test() {
    cat <<'TEXT'
usage: ./quipu test [PYTEST-ARG ...]

Builds everything and runs the static checks, the host's unit tests and the tests on both machines.
Arguments go to pytest: `-k vmstat`, `-x`, `tests/qemu/test_boot.py`, `-n 4` (processes).
TEXT
}

usage_build() {
    cat <<'TEXT'
usage: ./quipu build [GOAL ...]

Compiles both kernels and the ISO, or the named goals of the Makefile (`make help` lists them).
TEXT
}

bad_usage() {
    printf 'quipu: %s\n' "$1" | LC_ALL=C tr -c '\n -~' '?' >&2
    exit 2
}
