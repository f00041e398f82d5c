/* SPDX-License-Identifier: BSD-2-Clause */
/* /init of a Linux guest that has come up, and is switched off. */
#include <stdio.h>
#include <sys/reboot.h>
#include <unistd.h>

int main(void)
{
    puts("guest done");
    fflush(stdout);
    sleep(1); /* the console's last bytes */
    reboot(RB_AUTOBOOT);
    return 1;
}
