/* SPDX-License-Identifier: BSD-2-Clause */
/* What Linux programs of this machine and the kernel share: numbers and layouts that differ from
 * machine to machine (see also abi/common.h). MIPS, n64, big-endian. */
#pragma once

#include <stdint.h>

#define ABI_MACHINE_NAME "mips64"
#define ABI_CALL_BASE    5000
#define ABI_ELF_MACHINE  8 /* EM_MIPS */
#define ABI_HWCAP        0
#define ABI_PLATFORM     "mips"

/* Of linux/calls.def's numbers, this machine's; and what is this machine's only. */
#define ABI_CALL_NUMBER(x86, mips) (mips)
#define ABI_ONLY_X86(...)
#define ABI_ONLY_MIPS(...) __VA_ARGS__

/* Signals */
#define ABI_SIGNALS      128
#define ABI_SIGNAL_WORDS 2
#define SIGHUP           1
#define SIGINT           2
#define SIGQUIT          3
#define SIGILL           4
#define SIGTRAP          5
#define SIGABRT          6
#define SIGEMT           7
#define SIGFPE           8
#define SIGKILL          9
#define SIGBUS           10
#define SIGSEGV          11
#define SIGSYS           12
#define SIGPIPE          13
#define SIGALRM          14
#define SIGTERM          15
#define SIGUSR1          16
#define SIGUSR2          17
#define SIGCHLD          18
#define SIGPWR           19
#define SIGWINCH         20
#define SIGURG           21
#define SIGIO            22
#define SIGSTOP          23
#define SIGTSTP          24
#define SIGCONT          25
#define SIGTTIN          26
#define SIGTTOU          27
#define SIGVTALRM        28
#define SIGPROF          29
#define SIGXCPU          30
#define SIGXFSZ          31
#define SIGRTMIN         32

#define SIG_BLOCK   1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3

#define SA_NOCLDSTOP 1u
#define SA_NOCLDWAIT 0x10000u
#define SA_SIGINFO   8u
#define SA_ONSTACK   0x08000000u
#define SA_RESTART   0x10000000u
#define SA_NODEFER   0x40000000u
#define SA_RESETHAND 0x80000000u

struct abi_sigaction {
    uint32_t flags;
    uint32_t pad;
    uint64_t handler;
    uint64_t mask[ABI_SIGNAL_WORDS];
};

struct abi_stack {
    uint64_t sp;
    uint64_t size;
    int32_t flags;
    int32_t pad;
};

#define SI_TIMER (-3)
#define SI_MESGQ (-4)
/* The first words of siginfo; the rest is the same everywhere. */
struct abi_siginfo_head {
    int32_t signo, code, error, pad;
};

/* Memory */
#define MAP_NORESERVE       0x400u
#define MAP_ANONYMOUS       0x800u
#define MAP_GROWSDOWN       0x1000u
#define MAP_LOCKED          0x8000u
#define MAP_POPULATE        0x10000u
#define MAP_HUGETLB         0x80000u
#define MAP_STACK           0x40000u
#define MAP_FIXED_NOREPLACE 0x100000u

/* Limits */
#define RLIMIT_NOFILE  5
#define RLIMIT_AS      6
#define RLIMIT_RSS     7
#define RLIMIT_NPROC   8
#define RLIMIT_MEMLOCK 9

/* Files */
#define ABI_O_APPEND    0x0008u
#define ABI_O_DSYNC     0x0010u
#define ABI_O_ASYNC     0x1000u
#define ABI_O_NONBLOCK  0x0080u
#define ABI_O_CREAT     0x0100u
#define ABI_O_TRUNC     0x0200u
#define ABI_O_EXCL      0x0400u
#define ABI_O_NOCTTY    0x0800u
#define ABI_O_LARGEFILE 0x2000u
#define ABI_O_SYNC      0x4010u
#define ABI_O_DIRECT    0x8000u
#define ABI_O_DIRECTORY 0x10000u
#define ABI_O_NOFOLLOW  0x20000u
#define ABI_O_NOATIME   0x40000u
#define ABI_O_CLOEXEC   0x80000u
#define ABI_O_PATH      0x200000u
#define ABI_O_TMPFILE   0x400000u

#define F_SETLK  6
#define F_SETLKW 7
#define F_GETLK  14
#define F_GETOWN 23
#define F_SETOWN 24

struct abi_stat {
    uint32_t dev, pad0[3];
    uint64_t ino;
    uint32_t mode, nlink, uid, gid;
    uint32_t rdev, pad1[3];
    int64_t size;
    uint32_t atime, atime_ns, mtime, mtime_ns, ctime, ctime_ns;
    uint32_t blksize, pad2;
    uint64_t blocks;
};

struct abi_statfs {
    uint64_t type, bsize, frsize, blocks, bfree, files, ffree, bavail;
    int32_t fsid[2];
    uint64_t namelen, flags, spare[5];
};
#define ABI_SHMLBA 0x40000u

/* Sockets */
#define ABI_SOCK_STREAM    2
#define ABI_SOCK_DGRAM     1
#define ABI_SOL_SOCKET     0xffff
#define ABI_SO_REUSEADDR   4
#define ABI_SO_DEBUG       1
#define ABI_SO_DONTROUTE   0x10
#define ABI_SO_LINGER      0x80
#define ABI_SO_OOBINLINE   0x100
#define ABI_SO_SNDLOWAT    0x1003
#define ABI_SO_RCVLOWAT    0x1004
#define ABI_SO_PRIORITY    12
#define ABI_SO_MARK        36
#define ABI_SO_SNDBUFFORCE 31
#define ABI_SO_RCVBUFFORCE 33
#define ABI_SO_TYPE        0x1008
#define ABI_SO_ERROR       0x1007
#define ABI_SO_BROADCAST   0x20
#define ABI_SO_SNDBUF      0x1001
#define ABI_SO_RCVBUF      0x1002
#define ABI_SO_KEEPALIVE   8
#define ABI_SO_REUSEPORT   0x200
#define ABI_SO_PASSCRED    17
#define ABI_SO_PEERCRED    18
#define ABI_SO_RCVTIMEO    0x1006
#define ABI_SO_SNDTIMEO    0x1005
#define ABI_SO_ACCEPTCONN  0x1009
#define ABI_SO_PROTOCOL    0x1028
#define ABI_SO_DOMAIN      0x1029

/* Terminals */
#define ABI_NCCS     23
#define TCGETS       0x540du
#define TCSETS       0x540eu
#define TCSETSW      0x540fu
#define TCSETSF      0x5410u
#define TCSBRK       0x5405u
#define TCXONC       0x5406u
#define TCFLSH       0x5407u
#define TIOCSCTTY    0x5480u
#define TIOCGPGRP    0x40047477u
#define TIOCSPGRP    0x80047476u
#define TIOCGWINSZ   0x40087468u
#define TIOCSWINSZ   0x80087467u
#define TIOCNOTTY    0x5471u
#define TIOCGSID     0x7416u
#define ABI_FIONREAD 0x467fu
#define ABI_FIONBIO  0x667eu
#define FIOCLEX      0x6601u
#define FIONCLEX     0x6602u
#define FIOASYNC     0x667du
#define FIOQSIZE     0x667fu
#define FIGETBSZ     0x20000002u
#define IEXTEN       0x100u
#define TOSTOP       0x8000u
#define VINTR        0
#define VQUIT        1
#define VERASE       2
#define VKILL        3
#define VMIN         4
#define VTIME        5
#define VEOL2        6
#define VSUSP        10
#define VWERASE      14
#define VLNEXT       15
#define VEOF         16
#define VEOL         17

/* The number that programs know an error of the kernel's (lib/errno.h) by. */
int abi_error(int error);
