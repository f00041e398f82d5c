/* SPDX-License-Identifier: BSD-2-Clause */
/* What Linux programs and the kernel share, the same on all machines; what is not, is in
 * <linux_abi.h>. */
#pragma once

#include <linux_abi.h>
#include <stdint.h>

#define SIG_DFL 0ul
#define SIG_IGN 1ul

#define SS_ONSTACK    1
#define SS_DISABLE    2
#define SS_AUTODISARM (1u << 31)

/* si_code */
#define SI_USER       0
#define SI_KERNEL     0x80
#define SI_QUEUE      (-1)
#define SI_TKILL      (-6)
#define ILL_ILLOPC    1
#define FPE_INTDIV    1
#define FPE_INTOVF    2
#define FPE_FLTDIV    3
#define FPE_FLTOVF    4
#define FPE_FLTUND    5
#define FPE_FLTRES    6
#define FPE_FLTINV    7
#define SEGV_MAPERR   1
#define SEGV_ACCERR   2
#define BUS_ADRALN    1
#define BUS_ADRERR    2
#define TRAP_BRKPT    1
#define TRAP_TRACE    2
#define CLD_EXITED    1
#define CLD_KILLED    2
#define CLD_DUMPED    3
#define CLD_STOPPED   5
#define CLD_CONTINUED 6

struct abi_siginfo {
    struct abi_siginfo_head head;
    union {
        uint8_t bytes[112];
        struct {
            int32_t pid;
            uint32_t uid;
            uint64_t value;
        } from; /* kill, sigqueue */
        struct {
            int32_t id, overrun;
            uint64_t value;
        } timer;
        struct {
            int32_t pid;
            uint32_t uid;
            int32_t status, pad;
            int64_t utime, stime;
        } child;
        struct {
            uint64_t address;
        } fault;
        struct {
            int64_t band;
            int32_t descriptor;
        } poll; /* SIGIO */
    };
};
_Static_assert(sizeof(struct abi_siginfo) == 128, "siginfo_t");

struct abi_sigevent {
    uint64_t value;
    int32_t signo, notify;
    int32_t tid;
    int32_t pad[11];
};
#define SIGEV_SIGNAL    0
#define SIGEV_NONE      1
#define SIGEV_THREAD    2
#define SIGEV_THREAD_ID 4

struct abi_timespec {
    int64_t sec, nsec;
};
struct abi_timeval {
    int64_t sec, usec;
};
struct abi_itimerspec {
    struct abi_timespec interval, value;
};
struct abi_itimerval {
    struct abi_timeval interval, value;
};
struct abi_rlimit {
    uint64_t now, max;
};
struct abi_rusage {
    struct abi_timeval user, system;
    int64_t maxrss, ixrss, idrss, isrss, minflt, majflt, nswap, inblock, oublock, msgsnd, msgrcv,
        nsignals, nvcsw, nivcsw;
};
struct abi_tms {
    int64_t user, system, children_user, children_system;
};
struct abi_utsname {
    char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};
struct abi_sysinfo {
    int64_t uptime;
    uint64_t loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap;
    uint16_t procs, pad;
    uint64_t totalhigh, freehigh;
    uint32_t unit;
};
struct abi_iovec {
    uint64_t base, length;
};
struct abi_pollfd {
    int32_t fd;
    int16_t events, revents;
};
struct abi_epoll_event {
    uint32_t events;
    uint64_t data;
} ABI_ONLY_X86(__attribute__((packed)));
struct abi_signalfd {
    uint32_t signo;
    int32_t error, code;
    uint32_t pid, uid;
    int32_t fd;
    uint32_t tid, band, overrun, trapno;
    int32_t status, number;
    uint64_t pointer, utime, stime, address;
    uint8_t rest[48];
};
_Static_assert(sizeof(struct abi_signalfd) == 128, "struct signalfd_siginfo");
#define AF_UNIX            1
#define ABI_SOCK_SEQPACKET 5
#define SCM_RIGHTS         1
#define SCM_CREDENTIALS    2
struct abi_sockaddr {
    uint16_t family;
    char path[108];
};
struct abi_message {
    uint64_t name;
    uint32_t name_size, pad;
    uint64_t vectors, vector_count, control, control_size;
    uint32_t flags, pad2;
};
struct abi_control {
    uint64_t length;
    int32_t level, type;
};
#define IPC_CREAT  01000u
#define IPC_EXCL   02000u
#define IPC_NOWAIT 04000u
#define IPC_RMID   0
#define IPC_SET    1
#define IPC_STAT   2
#define IPC_64     0x100
struct abi_ipc_permission {
    int32_t key;
    uint32_t uid, gid, creator_uid, creator_gid, mode;
    uint16_t sequence, pad[3];
    uint64_t unused[2];
};
struct abi_segment {
    struct abi_ipc_permission permission;
    uint64_t size;
    int64_t attach_time, detach_time, change_time;
    uint32_t creator, last;
    uint64_t attached, unused[2];
};
struct abi_queue {
    struct abi_ipc_permission permission;
    int64_t send_time, receive_time, change_time;
    uint64_t bytes, count, most;
    uint32_t last_sender, last_receiver;
    uint64_t unused[2];
};
struct abi_semaphores {
    struct abi_ipc_permission permission;
    int64_t operation_time;
    ABI_ONLY_X86(uint64_t unused1;)
    int64_t change_time;
    ABI_ONLY_X86(uint64_t unused2;)
    uint64_t count, unused[2];
};
struct abi_semop {
    uint16_t number;
    int16_t by, flags;
};
_Static_assert(sizeof(struct abi_ipc_permission) == 48, "struct ipc_perm");
_Static_assert(sizeof(struct abi_segment) == 112, "struct shmid_ds");
_Static_assert(sizeof(struct abi_queue) == 120, "struct msqid_ds");
struct abi_mq {
    int64_t flags, most, size, count, reserved[4];
};
struct abi_winsize {
    uint16_t rows, columns, xpixel, ypixel;
};
struct abi_termios {
    uint32_t iflag, oflag, cflag, lflag;
    uint8_t line, cc[ABI_NCCS];
};
struct abi_flock {
    int16_t type, whence;
    int64_t start, length;
    int32_t pid;
};
struct abi_statx_time {
    int64_t sec;
    uint32_t nsec;
    int32_t pad;
};
struct abi_statx {
    uint32_t mask, blksize;
    uint64_t attributes;
    uint32_t nlink, uid, gid;
    uint16_t mode, pad0;
    uint64_t ino, size, blocks, attributes_mask;
    struct abi_statx_time atime, btime, ctime, mtime;
    uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
    uint64_t mnt_id, spare[13];
};
_Static_assert(sizeof(struct abi_statx) == 256, "struct statx");
struct abi_clone {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
        set_tid_size, cgroup;
};
struct abi_robust_list {
    uint64_t next, futex_offset, pending;
};

#define CLONE_VM             0x100u
#define CLONE_FS             0x200u
#define CLONE_FILES          0x400u
#define CLONE_SIGHAND        0x800u
#define CLONE_PIDFD          0x1000u
#define CLONE_PTRACE         0x2000u
#define CLONE_VFORK          0x4000u
#define CLONE_PARENT         0x8000u
#define CLONE_THREAD         0x10000u
#define CLONE_NEWNS          0x20000u
#define CLONE_SYSVSEM        0x40000u
#define CLONE_SETTLS         0x80000u
#define CLONE_PARENT_SETTID  0x100000u
#define CLONE_CHILD_CLEARTID 0x200000u
#define CLONE_DETACHED       0x400000u
#define CLONE_CHILD_SETTID   0x1000000u
#define CLONE_NEW            0x7e020000u /* namespaces */
#define CLONE_CLEAR_SIGHAND  0x100000000ull

#define FUTEX_WAIT           0
#define FUTEX_WAKE           1
#define FUTEX_REQUEUE        3
#define FUTEX_CMP_REQUEUE    4
#define FUTEX_WAKE_OP        5
#define FUTEX_LOCK_PI        6
#define FUTEX_UNLOCK_PI      7
#define FUTEX_TRYLOCK_PI     8
#define FUTEX_LOCK_PI2       13
#define FUTEX_WAIT_BITSET    9
#define FUTEX_WAKE_BITSET    10
#define FUTEX_PRIVATE        128
#define FUTEX_CLOCK_REALTIME 256
#define FUTEX_WAITERS        0x80000000u
#define FUTEX_OWNER_DIED     0x40000000u
#define FUTEX_TID_MASK       0x3fffffffu
#define FUTEX_BITSET_MATCH   UINT32_MAX

#define RLIMIT_CPU        0
#define RLIMIT_FSIZE      1
#define RLIMIT_DATA       2
#define RLIMIT_STACK      3
#define RLIMIT_CORE       4
#define RLIMIT_RTPRIO     14
#define RLIMIT_SIGPENDING 11
#define RLIMITS           16
#define RLIM_INFINITY     UINT64_MAX

#define PROT_READ           1u
#define PROT_WRITE          2u
#define PROT_EXEC           4u
#define MAP_SHARED          1u
#define MAP_PRIVATE         2u
#define MAP_SHARED_VALIDATE 3u
#define MAP_FIXED           0x10u

#define AT_FDCWD            (-100)
#define AT_SYMLINK_NOFOLLOW 0x100u
#define AT_REMOVEDIR        0x200u
#define AT_EACCESS          0x200u
#define AT_SYMLINK_FOLLOW   0x400u
#define AT_EMPTY_PATH       0x1000u
#define AT_STATX_SYNC_TYPE  0x6000u     /* two bits, of which one may be set */
#define STATX_RESERVED      0x80000000u /* of the mask */

#define WNOHANG    1u
#define WUNTRACED  2u
#define WEXITED    4u
#define WCONTINUED 8u
#define WNOWAIT    0x01000000u
/* __WALL and __WCLONE: children of every kind; only those that do not end with SIGCHLD. */
#define WAIT_ALL    0x40000000u
#define WAIT_CLONED 0x80000000u
#define P_ALL       0
#define P_PID       1
#define P_PGID      2
#define P_PIDFD     3

#define CLOCK_REALTIME           0
#define CLOCK_MONOTONIC          1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID  3
#define CLOCK_MONOTONIC_RAW      4
#define CLOCK_REALTIME_COARSE    5
#define CLOCK_MONOTONIC_COARSE   6
#define CLOCK_BOOTTIME           7
#define CLOCK_TAI                11
#define TIMER_ABSTIME            1
#define ITIMER_REAL              0
#define ITIMER_VIRTUAL           1
#define ITIMER_PROF              2
