/* SPDX-License-Identifier: BSD-2-Clause */
/* What the calls of <devstat.h> say when they fail. */
#ifndef STATS_DEVSTAT_ERROR_H
#define STATS_DEVSTAT_ERROR_H

/* Copies a sentence into devstat_errbuf, as much as fits. */
void devstat_complain(const char *text);

#endif
