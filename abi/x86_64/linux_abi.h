/* SPDX-License-Identifier: BSD-2-Clause */
/* What Linux programs of this machine and the kernel share: numbers and layouts that differ from
 * machine to machine (see also abi/common.h). x86_64. */
#pragma once

#include <stdint.h>

#define ABI_MACHINE_NAME "x86_64"
#define ABI_CALL_BASE    0
#define ABI_ELF_MACHINE  62 /* EM_X86_64 */
#define ABI_HWCAP        abi_hwcap()
#define ABI_PLATFORM     "x86_64"

/* Of linux/calls.def's numbers, this machine's; and what is this machine's only. */
#define ABI_CALL_NUMBER(x86, mips) (x86)
#define ABI_ONLY_X86(...)          __VA_ARGS__
#define ABI_ONLY_MIPS(...)

/* Signals */
#define ABI_SIGNALS      64
#define ABI_SIGNAL_WORDS 1
#define SIGHUP           1
#define SIGINT           2
#define SIGQUIT          3
#define SIGILL           4
#define SIGTRAP          5
#define SIGABRT          6
#define SIGBUS           7
#define SIGFPE           8
#define SIGKILL          9
#define SIGUSR1          10
#define SIGSEGV          11
#define SIGUSR2          12
#define SIGPIPE          13
#define SIGALRM          14
#define SIGTERM          15
#define SIGSTKFLT        16
#define SIGCHLD          17
#define SIGCONT          18
#define SIGSTOP          19
#define SIGTSTP          20
#define SIGTTIN          21
#define SIGTTOU          22
#define SIGURG           23
#define SIGXCPU          24
#define SIGXFSZ          25
#define SIGVTALRM        26
#define SIGPROF          27
#define SIGWINCH         28
#define SIGIO            29
#define SIGPWR           30
#define SIGSYS           31
#define SIGRTMIN         32

#define SIG_BLOCK   0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2

#define SA_NOCLDSTOP 1u
#define SA_NOCLDWAIT 2u
#define SA_SIGINFO   4u
#define SA_RESTORER  0x04000000u
#define SA_ONSTACK   0x08000000u
#define SA_RESTART   0x10000000u
#define SA_NODEFER   0x40000000u
#define SA_RESETHAND 0x80000000u

struct abi_sigaction {
    uint64_t handler;
    uint64_t flags;
    uint64_t restorer;
    uint64_t mask[ABI_SIGNAL_WORDS];
};

struct abi_stack {
    uint64_t sp;
    int32_t flags;
    int32_t pad;
    uint64_t size;
};

#define SI_TIMER (-2)
#define SI_MESGQ (-3)
/* The first words of siginfo; the rest is the same everywhere. */
struct abi_siginfo_head {
    int32_t signo, error, code, pad;
};

/* Memory */
#define MAP_NORESERVE       0x4000u
#define MAP_ANONYMOUS       0x20u
#define MAP_GROWSDOWN       0x100u
#define MAP_LOCKED          0x2000u
#define MAP_POPULATE        0x8000u
#define MAP_HUGETLB         0x40000u
#define MAP_STACK           0x20000u
#define MAP_FIXED_NOREPLACE 0x100000u

/* Limits */
#define RLIMIT_RSS     5
#define RLIMIT_NPROC   6
#define RLIMIT_NOFILE  7
#define RLIMIT_MEMLOCK 8
#define RLIMIT_AS      9

/* Files: fs/file/calls.h has these numbers for its own. */
#define ABI_O_APPEND    02000u
#define ABI_O_DSYNC     010000u
#define ABI_O_ASYNC     020000u
#define ABI_O_NONBLOCK  04000u
#define ABI_O_CREAT     0100u
#define ABI_O_TRUNC     01000u
#define ABI_O_EXCL      0200u
#define ABI_O_NOCTTY    0400u
#define ABI_O_SYNC      04010000u
#define ABI_O_DIRECT    040000u
#define ABI_O_LARGEFILE 0100000u
#define ABI_O_DIRECTORY 0200000u
#define ABI_O_NOFOLLOW  0400000u
#define ABI_O_NOATIME   01000000u
#define ABI_O_CLOEXEC   02000000u
#define ABI_O_PATH      010000000u
#define ABI_O_TMPFILE   020000000u

#define F_GETLK  5
#define F_SETLK  6
#define F_SETLKW 7
#define F_SETOWN 8
#define F_GETOWN 9

struct abi_stat {
    uint64_t dev, ino, nlink;
    uint32_t mode, uid, gid, pad0;
    uint64_t rdev;
    int64_t size, blksize, blocks;
    uint64_t atime, atime_ns, mtime, mtime_ns, ctime, ctime_ns;
    int64_t unused[3];
};

struct abi_statfs {
    uint64_t type, bsize, blocks, bfree, bavail, files, ffree;
    int32_t fsid[2];
    uint64_t namelen, frsize, flags, spare[4];
};
#define ABI_SHMLBA 4096u

/* Sockets */
#define ABI_SOCK_STREAM    1
#define ABI_SOCK_DGRAM     2
#define ABI_SOL_SOCKET     1
#define ABI_SO_REUSEADDR   2
#define ABI_SO_DEBUG       1
#define ABI_SO_DONTROUTE   5
#define ABI_SO_LINGER      13
#define ABI_SO_OOBINLINE   10
#define ABI_SO_SNDLOWAT    19
#define ABI_SO_RCVLOWAT    18
#define ABI_SO_PRIORITY    12
#define ABI_SO_MARK        36
#define ABI_SO_SNDBUFFORCE 32
#define ABI_SO_RCVBUFFORCE 33
#define ABI_SO_TYPE        3
#define ABI_SO_ERROR       4
#define ABI_SO_BROADCAST   6
#define ABI_SO_SNDBUF      7
#define ABI_SO_RCVBUF      8
#define ABI_SO_KEEPALIVE   9
#define ABI_SO_REUSEPORT   15
#define ABI_SO_PASSCRED    16
#define ABI_SO_PEERCRED    17
#define ABI_SO_RCVTIMEO    20
#define ABI_SO_SNDTIMEO    21
#define ABI_SO_ACCEPTCONN  30
#define ABI_SO_PROTOCOL    38
#define ABI_SO_DOMAIN      39

/* Terminals */
#define ABI_NCCS     19
#define TCGETS       0x5401u
#define TCSETS       0x5402u
#define TCSETSW      0x5403u
#define TCSETSF      0x5404u
#define TCSBRK       0x5409u
#define TCXONC       0x540au
#define TCFLSH       0x540bu
#define TIOCSCTTY    0x540eu
#define TIOCGPGRP    0x540fu
#define TIOCSPGRP    0x5410u
#define TIOCGWINSZ   0x5413u
#define TIOCSWINSZ   0x5414u
#define TIOCNOTTY    0x5422u
#define TIOCGSID     0x5429u
#define ABI_FIONREAD 0x541bu
#define ABI_FIONBIO  0x5421u
#define FIOCLEX      0x5451u
#define FIONCLEX     0x5450u
#define FIOASYNC     0x5452u
#define FIOQSIZE     0x5460u
#define FIGETBSZ     0x2u
#define IEXTEN       0x8000u
#define TOSTOP       0x100u
#define VINTR        0
#define VQUIT        1
#define VERASE       2
#define VKILL        3
#define VEOF         4
#define VTIME        5
#define VMIN         6
#define VSUSP        10
#define VEOL         11
#define VWERASE      14
#define VLNEXT       15
#define VEOL2        16

/* Error numbers are the kernel's own (lib/errno.h). */
static inline int abi_error(int error)
{
    return error;
}
