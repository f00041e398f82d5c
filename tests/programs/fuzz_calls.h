/* SPDX-License-Identifier: BSD-2-Clause */
/* For fuzz_calls.c: every call by name, what its arguments are, and how a call is made. */
#pragma once

#include <stdint.h>
#include <string.h>

/* What the arguments of a call are: f descriptor, d directory's, p path, b buffer, s size, i small
 * number, g flags, t times, v vectors, a strings, n process, m page, l pages' size, S signal. */
static const char *const fuzz_kinds[][2] = {
    {"read", "fbs"},
    {"write", "fbs"},
    {"open", "pgg"},
    {"close", "f"},
    {"stat", "pb"},
    {"fstat", "fb"},
    {"lstat", "pb"},
    {"poll", "bii"},
    {"lseek", "fsi"},
    {"mmap", "mlggfs"},
    {"mprotect", "mlg"},
    {"munmap", "ml"},
    {"brk", "b"},
    {"rt_sigaction", "Sbbi"},
    {"rt_sigprocmask", "ibbi"},
    {"ioctl", "fgb"},
    {"pread64", "fbss"},
    {"pwrite64", "fbss"},
    {"readv", "fvi"},
    {"writev", "fvi"},
    {"access", "pg"},
    {"pipe", "b"},
    {"select", "ibbbt"},
    {"_newselect", "ibbbt"},
    {"mremap", "mllgm"},
    {"msync", "mlg"},
    {"mincore", "mlb"},
    {"madvise", "mli"},
    {"dup", "f"},
    {"dup2", "ff"},
    {"nanosleep", "tt"},
    {"getitimer", "ib"},
    {"alarm", "i"},
    {"setitimer", "itb"},
    {"sendfile", "ffbs"},
    {"clone", "gbbbb"},
    {"clone3", "bs"},
    {"execve", "paa"},
    {"wait4", "nbgb"},
    {"kill", "nS"},
    {"fcntl", "fgb"},
    {"flock", "fg"},
    {"fsync", "f"},
    {"truncate", "ps"},
    {"ftruncate", "fs"},
    {"getcwd", "bs"},
    {"chdir", "p"},
    {"fchdir", "f"},
    {"rename", "pp"},
    {"mkdir", "pg"},
    {"rmdir", "p"},
    {"creat", "pg"},
    {"link", "pp"},
    {"unlink", "p"},
    {"symlink", "pp"},
    {"readlink", "pbs"},
    {"chmod", "pg"},
    {"fchmod", "fg"},
    {"chown", "pii"},
    {"fchown", "fii"},
    {"lchown", "pii"},
    {"getrlimit", "ib"},
    {"setrlimit", "ib"},
    {"prlimit64", "nibb"},
    {"getrusage", "ib"},
    {"setpgid", "nn"},
    {"getpgid", "n"},
    {"getsid", "n"},
    {"getgroups", "ib"},
    {"setgroups", "ib"},
    {"rt_sigtimedwait", "bbti"},
    {"rt_sigqueueinfo", "nSb"},
    {"rt_tgsigqueueinfo", "nnSb"},
    {"rt_sigsuspend", "bi"},
    {"sigaltstack", "bb"},
    {"utime", "pb"},
    {"utimes", "pt"},
    {"mknod", "pgi"},
    {"statfs", "pb"},
    {"fstatfs", "fb"},
    {"mlock", "ml"},
    {"munlock", "ml"},
    {"mlock2", "mlg"},
    {"prctl", "gbbbb"},
    {"chroot", "p"},
    {"tkill", "nS"},
    {"tgkill", "nnS"},
    {"futex", "bgitbi"},
    {"sched_setaffinity", "nsb"},
    {"sched_getaffinity", "nsb"},
    {"getdents64", "fbs"},
    {"set_tid_address", "b"},
    {"timer_create", "ibb"},
    {"timer_settime", "iitb"},
    {"timer_gettime", "ib"},
    {"timer_getoverrun", "i"},
    {"timer_delete", "i"},
    {"clock_gettime", "ib"},
    {"clock_getres", "ib"},
    {"clock_nanosleep", "iitb"},
    {"waitid", "inbgb"},
    {"openat", "dpgg"},
    {"mkdirat", "dpg"},
    {"mknodat", "dpgi"},
    {"fchownat", "dpiig"},
    {"futimesat", "dpt"},
    {"newfstatat", "dpbg"},
    {"unlinkat", "dpg"},
    {"renameat", "dpdp"},
    {"renameat2", "dpdpi"},
    {"linkat", "dpdpg"},
    {"symlinkat", "pdp"},
    {"readlinkat", "dpbs"},
    {"fchmodat", "dpg"},
    {"faccessat", "dpg"},
    {"faccessat2", "dpgg"},
    {"pselect6", "ibbbtb"},
    {"ppoll", "bitbi"},
    {"set_robust_list", "bs"},
    {"get_robust_list", "nbb"},
    {"utimensat", "dptg"},
    {"dup3", "ffg"},
    {"pipe2", "bg"},
    {"preadv", "fvis"},
    {"pwritev", "fvis"},
    {"preadv2", "fvis0g"},
    {"pwritev2", "fvis0g"},
    {"getcpu", "bb"},
    {"getrandom", "bsi"},
    {"execveat", "dpaag"},
    {"copy_file_range", "fbfbsg"},
    {"statx", "dpggb"},
    {"close_range", "ffi"},
    {"uname", "b"},
    {"sysinfo", "b"},
    {"times", "b"},
    {"getpriority", "in"},
    {"setpriority", "ini"},
    {"fallocate", "fgss"},
    {"splice", "fbfbsg"},
    {"tee", "ffsg"},
    {"vmsplice", "fvig"},
    {"eventfd", "i"},
    {"eventfd2", "ig"},
    {"epoll_create", "i"},
    {"epoll_create1", "g"},
    {"epoll_ctl", "fifb"},
    {"epoll_wait", "fbii"},
    {"epoll_pwait", "fbiibi"},
    {"timerfd_create", "ig"},
    {"timerfd_settime", "fitb"},
    {"timerfd_gettime", "fb"},
    {"signalfd", "fbi"},
    {"signalfd4", "fbig"},
    {"memfd_create", "pg"},
    {"socketpair", "iiib"},
    {"arch_prctl", "gb"},
    {"umask", "g"},
    {"exit", "i"},
    {"exit_group", "i"},
};

struct fuzz_call {
    const char *name;
    long number;
    const char *kinds;
    int missing, forks, rare, reaches; /* reaches other processes: 1; by their user too: 2 */
};

#ifdef __x86_64__
#define FUZZ_NUMBER(x86, mips)  x86
#define CALL_HAS_X86(name, x86) {#name, x86, "", 0, 0, 0, 0},
#define CALL_HAS_MIPS(name, mips)
#else
#define FUZZ_NUMBER(x86, mips) (5000 + mips)
#define CALL_HAS_X86(name, x86)
#define CALL_HAS_MIPS(name, mips) {#name, 5000 + mips, "", 0, 0, 0, 0},
#endif
#define CALL_HAS(name, x86, mips)   {#name, FUZZ_NUMBER(x86, mips), "", 0, 0, 0, 0},
#define CALL_WHOLE(name, x86, mips) CALL_HAS(name, x86, mips)
#define CALL_LACKS(name, x86, mips) {#name, FUZZ_NUMBER(x86, mips), "", 1, 0, 0, 0},
#define CALL_LACKS_X86(name, x86)   CALL_HAS_X86(name, x86)
#define CALL_LACKS_MIPS(name, mips) CALL_HAS_MIPS(name, mips)

static struct fuzz_call fuzz_calls[] = {
#include "../../linux/calls.def"
};
#define FUZZ_CALLS (sizeof fuzz_calls / sizeof *fuzz_calls)

static int fuzz_is(const char *name, const char *words)
{
    size_t length = strlen(name);

    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return 0;
}

static void __attribute__((constructor)) fuzz_fill(void)
{
    static char padded[FUZZ_CALLS][8];

    for (unsigned i = 0; i < FUZZ_CALLS; i++) {
        struct fuzz_call *call = &fuzz_calls[i];

        for (unsigned k = 0; k < sizeof fuzz_kinds / sizeof *fuzz_kinds; k++)
            if (strcmp(fuzz_kinds[k][0], call->name) == 0) {
                strcpy(padded[i], fuzz_kinds[k][1]);
                memset(padded[i] + strlen(padded[i]), '*', 6 - strlen(padded[i]));
                call->kinds = padded[i];
            }
        call->forks = fuzz_is(call->name, "fork vfork clone clone3");
        call->rare = fuzz_is(call->name, "exit exit_group execve rt_sigreturn pause rt_sigsuspend "
                                         "setsid set_thread_area arch_prctl");
        call->reaches = fuzz_is(
            call->name, "setpgid kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo prlimit64 "
                        "sched_setaffinity sched_setscheduler sched_setparam setpriority "
                        "pidfd_open ptrace process_vm_writev");
        if (strcmp(call->name, "setpriority") == 0)
            call->reaches = 2;
    }
}

/* Makes the call; where it FORKS, the child ends at once, without touching memory. */
static long fuzz_call(long number, const uint64_t a[6], long forks)
{
#ifdef __x86_64__
    register uint64_t r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
    long result = number;

    __asm__ volatile("syscall\n"
                     "testq %%rax, %%rax\n"
                     "jnz 1f\n"
                     "testq %[forks], %[forks]\n"
                     "jz 1f\n"
                     "movl $60, %%eax\n"
                     "xorl %%edi, %%edi\n"
                     "syscall\n"
                     "1:"
                     : "+a"(result)
                     : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8),
                       "r"(r9), [forks] "b"(forks)
                     : "rcx", "r11", "memory");
    return result;
#else
    register uint64_t a0 __asm__("$4") = a[0], a1 __asm__("$5") = a[1], a2 __asm__("$6") = a[2];
    register uint64_t a3 __asm__("$7") = a[3], a4 __asm__("$8") = a[4], a5 __asm__("$9") = a[5];
    register long result __asm__("$2") = number;
    register long kept __asm__("$16") = forks;

    __asm__ volatile("syscall\n"
                     "bnez $2, 1f\n"
                     "bnez $7, 1f\n"
                     "beqz %[forks], 1f\n"
                     "li $2, 5058\n"
                     "move $4, $0\n"
                     "syscall\n"
                     "1:"
                     : "+r"(result), "+r"(a3)
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a4), "r"(a5), [forks] "r"(kept)
                     : "$1", "$3", "$10", "$11", "$12", "$13", "$14", "$15", "$24", "$25", "hi",
                       "lo", "memory");
    return a3 ? -result : result;
#endif
}
