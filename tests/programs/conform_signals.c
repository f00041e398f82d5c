/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals: the same lines on Linux and on Quipu. */
#include "conform.h"
#include <pthread.h>
#include <setjmp.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>

static sigjmp_buf back;
static volatile int seen, code, depth, deepest, order[8], ordered;
static void *volatile address;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    seen = signal;
    code = info->si_code;
    address = info->si_addr;
    siglongjmp(back, 1);
}

static void on_count(int signal)
{
    (void)signal;
    seen++;
}

static void on_order(int signal)
{
    order[ordered++ & 7] = signal - SIGRTMIN;
}

static void on_queued(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    SAY("queued %d code %d pid %d\n", info->si_value.sival_int, info->si_code,
        info->si_pid == getpid());
}

static void on_nested(int signal)
{
    depth++;
    if (depth > deepest)
        deepest = depth;
    if (depth < 3)
        raise(signal);
    depth--;
}

static void on_stack(int signal)
{
    stack_t now;
    char here;

    sigaltstack(NULL, &now);
    SAY("handler of %d on the stack %d, flags %d\n", signal == SIGUSR1,
        &here >= (char *)now.ss_sp && &here < (char *)now.ss_sp + now.ss_size, now.ss_flags);
}

static void action(int signal, void (*handler)(int), int flags)
{
    struct sigaction new = {.sa_handler = handler, .sa_flags = flags};

    sigaction(signal, &new, NULL);
}

static void faults(void)
{
    struct sigaction new = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    char *page = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    sigaction(SIGSEGV, &new, NULL);
    sigaction(SIGBUS, &new, NULL);
    sigaction(SIGFPE, &new, NULL);
    sigaction(SIGILL, &new, NULL);
    sigaction(SIGTRAP, &new, NULL);
    if (!sigsetjmp(back, 1))
        *(volatile int *)24 = 1;
    SAY("unmapped: %d %d at %p\n", seen == SIGSEGV, code == SEGV_MAPERR, address);
    if (!sigsetjmp(back, 1))
        page[5] = 1;
    SAY("protected: %d %d at %ld\n", seen == SIGSEGV, code == SEGV_ACCERR,
        (long)((char *)address - page));
    munmap(page, 8192);
    if (!sigsetjmp(back, 1))
        SAY("not reached %d\n", page[0]);
    SAY("gone: %d %d\n", seen == SIGSEGV, code == SEGV_MAPERR);
    if (!sigsetjmp(back, 1)) {
        volatile int zero = 0, hundred = 100;
        SAY("not reached %d\n", hundred / zero); /* cppcheck-suppress zerodiv */
    }
    SAY("division: %d %d\n", seen == SIGFPE, code == FPE_INTDIV);
    if (!sigsetjmp(back, 1)) {
#ifdef __mips__
        __asm__ volatile(".word 0x0000003d");
#else
        __asm__ volatile("ud2");
#endif
    }
    SAY("illegal: %d\n", seen == SIGILL);
    if (!sigsetjmp(back, 1)) {
#ifdef __mips__
        __asm__ volatile("break");
#else
        __asm__ volatile("int3");
#endif
    }
    SAY("breakpoint: %d\n", seen == SIGTRAP);
}

static void masks(void)
{
    sigset_t set, old;
    siginfo_t info;
    struct timespec no = {0, 0}, soon = {0, 10000000};

    action(SIGUSR1, on_count, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &old);
    seen = 0;
    raise(SIGUSR1);
    raise(SIGUSR1);
    sigpending(&set);
    SAY("blocked: seen %d pending %d\n", seen, sigismember(&set, SIGUSR1));
    sigprocmask(SIG_SETMASK, &old, NULL);
    SAY("unblocked: seen %d\n", seen);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    TEST(sigtimedwait(&set, &info, &no));
    TEST(sigtimedwait(&set, &info, &soon));
    raise(SIGUSR2);
    SAY("waited %d\n", sigtimedwait(&set, &info, &no) == SIGUSR2);
    kill(getpid(), SIGUSR2);
    SAY("waited %d code %d\n", sigwaitinfo(&set, &info) == SIGUSR2, info.si_code);
    sigprocmask(SIG_SETMASK, &old, NULL);
    TEST(sigaction(SIGKILL, &(struct sigaction){.sa_handler = on_count}, NULL));
    TEST(sigaction(1000, NULL, NULL));
    TEST(kill(getpid(), 1000));
    TEST(raise(0));
}

static void queues(void)
{
    struct sigaction new = {.sa_sigaction = on_queued, .sa_flags = SA_SIGINFO};
    sigset_t set, old;

    sigaction(SIGRTMIN + 1, &new, NULL);
    action(SIGRTMIN + 2, on_order, 0);
    action(SIGRTMIN + 3, on_order, 0);
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, &old);
    for (int i = 0; i < 3; i++)
        sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 10 + i});
    raise(SIGRTMIN + 3);
    raise(SIGRTMIN + 2);
    raise(SIGRTMIN + 3);
    sigprocmask(SIG_SETMASK, &old, NULL);
    SAY("in order: %d %d %d of %d\n", order[0], order[1], order[2], ordered);
}

static void handlers(void)
{
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536}, old;
    struct sigaction was;

    action(SIGUSR1, on_nested, SA_NODEFER);
    raise(SIGUSR1);
    SAY("nested %d\n", deepest);
    action(SIGUSR1, on_count, SA_RESETHAND);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &was);
    SAY("reset %d\n", was.sa_handler == SIG_DFL);
    sigaltstack(&stack, &old);
    SAY("before: flags %d\n", old.ss_flags);
    action(SIGUSR1, on_stack, SA_ONSTACK);
    raise(SIGUSR1);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    stack.ss_flags = 0;
    stack.ss_size = 100;
    TEST(sigaltstack(&stack, NULL));
}

static char room[65536], *frame_at;

static void on_room(int signal)
{
    (void)signal;
    frame_at = __builtin_frame_address(0);
}

/* The auxiliary vector tells how long a frame may be where that is more than it once was. */
static void frames(void)
{
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room}, none = {.ss_flags = SS_DISABLE};
    unsigned long told = getauxval(51 /* AT_MINSIGSTKSZ */), used;

    sigaltstack(&stack, NULL);
    action(SIGUSR1, on_room, SA_ONSTACK);
    raise(SIGUSR1);
    sigaltstack(&none, NULL);
    used = (unsigned long)(room + sizeof room - frame_at);
#ifdef __mips__
    told = told == 0 ? used : 0;
#endif
    SAY("frame: %s\n",
        used > 400 && used <= told && told < used + 16384 ? "as told" : "not as told");
}

static void restarts(void)
{
    int fds[2];
    char byte;
    struct itimerval soon = {{0, 0}, {0, 20000}};
    struct timespec long_time = {0, 200000000}, rest = {9, 9};
    sigset_t none;
    pid_t child;

    pipe(fds);
    action(SIGALRM, on_count, 0);
    setitimer(ITIMER_REAL, &soon, NULL);
    TEST(read(fds[0], &byte, 1));
    action(SIGALRM, on_count, SA_RESTART);
    if ((child = fork()) == 0) {
        usleep(100000);
        write(fds[1], "x", 1);
        _exit(0);
    }
    setitimer(ITIMER_REAL, &soon, NULL);
    TEST(read(fds[0], &byte, 1));
    waitpid(child, NULL, 0);
    setitimer(ITIMER_REAL, &soon, NULL);
    TEST(nanosleep(&long_time, &rest));
    SAY("rest %d\n", rest.tv_sec == 0 && rest.tv_nsec > 0 && rest.tv_nsec < 200000000);
    setitimer(ITIMER_REAL, &soon, NULL);
    sigemptyset(&none);
    TEST(sigsuspend(&none));
    setitimer(ITIMER_REAL, &soon, NULL);
    TEST(pause());
    signal(SIGPIPE, SIG_IGN);
    close(fds[0]);
    TEST(write(fds[1], "x", 1));
    TEST(alarm(100));
    TEST(alarm(0));
}

static void timers(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec every = {{0, 0}, {0, 20000000}}, left;
    sigset_t set;
    siginfo_t info;
    timer_t timer;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    event.sigev_value.sival_int = 77;
    TEST(timer_create(CLOCK_MONOTONIC, &event, &timer));
    TEST(timer_settime(timer, 0, &every, NULL));
    TEST(timer_gettime(timer, &left));
    SAY("left %d\n", left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 20000000);
    SAY("timer %d", sigwaitinfo(&set, &info) == SIGRTMIN + 1);
    SAY(" value %d code %d overrun %d\n", info.si_value.sival_int, info.si_code == SI_TIMER,
        timer_getoverrun(timer));
    TEST(timer_delete(timer));
    TEST(timer_delete(timer));
}

static volatile pthread_t handled_by;
static void on_thread(int signal)
{
    (void)signal;
    handled_by = pthread_self();
}

static void *waits(void *argument)
{
    while (!handled_by)
        usleep(1000);
    return argument;
}

static void threads(void)
{
    pthread_t thread;

    action(SIGUSR2, on_thread, SA_RESTART);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_kill(thread, SIGUSR2);
    pthread_join(thread, NULL);
    SAY("handled by the thread %d\n", pthread_equal(handled_by, thread));
    TEST(syscall(SYS_tgkill, getpid(), 1 << 21, 0));
    TEST(syscall(SYS_tgkill, 0, getpid(), 0));
}

int main(void)
{
    faults();
    masks();
    queues();
    handlers();
    frames();
    restarts();
    timers();
    threads();
    return 0;
}
