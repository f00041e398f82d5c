/* SPDX-License-Identifier: BSD-2-Clause */
/* The programs that are one executable, each under a name of its own. */
#pragma once

int perfex_main(int argc, char **argv);
int ecadmin_main(int argc, char **argv);
int ecstats_main(int argc, char **argv);
int hinv_main(int argc, char **argv);
