/* SPDX-License-Identifier: BSD-2-Clause */
/* What a handler of SIGFPE finds in its frame's FCSR on a Malta, and that the program goes on: what
 * it is to say is in tests/qemu/test_linux_programs_malta.py. */
#include "conform.h"
#include <ucontext.h>

#ifdef __mips__
static volatile double one = 1, zero, result;

/* Cause bits 17-12, enables 11-7, flags 6-2. What stood behind the division is done. */
static void on_float(int signal, siginfo_t *info, void *context)
{
    ucontext_t *user = context;

    SAY("signal %d code %d fcsr %x\n", signal, info->si_code, user->uc_mcontext.fpc_csr & 0x3ffff);
    user->uc_mcontext.pc += 4;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_float, .sa_flags = SA_SIGINFO};
    unsigned fcsr = 0xc00; /* invalid and division by zero trap */
    double quotient;

    sigaction(SIGFPE, &action, NULL);
    __asm__ volatile("ctc1 %0, $31" : : "r"(fcsr));
    for (int i = 0; i < 2; i++) {
        quotient = 7;
        __asm__ volatile("div.d %0, %1, %2" : "+f"(quotient) : "f"(i ? zero : one), "f"(zero));
        __asm__ volatile("cfc1 %0, $31" : "=r"(fcsr));
        result = quotient;
        SAY("quotient %g fcsr %x\n", result, fcsr & 0x3ffff);
    }
    return 0;
}
#else
int main(void)
{
    return 0;
}
#endif
