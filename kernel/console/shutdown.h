/* SPDX-License-Identifier: BSD-2-Clause */
/* The two ways to end: what is to be printed before is printed, and the board is told. */
#pragma once

/* Ends everything; with a board that cannot be switched off, says so and stops. */
_Noreturn void machine_poweroff(void);
/* Under a script, restarting ends the run as switching off does. */
_Noreturn void machine_reboot(void);
