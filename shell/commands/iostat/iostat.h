/* SPDX-License-Identifier: BSD-2-Clause */
/* iostat: the two commands behind one name. Each takes all words and gives the exit status. */
#ifndef SHELL_IOSTAT_H
#define SHELL_IOSTAT_H

/* iostat -F: from devstat, as FreeBSD has it. */
int iostat_run_bsd(int argc, char **argv);
/* iostat: from kstat, as Solaris has it. */
int iostat_run_kstat(int argc, char **argv);

#endif
