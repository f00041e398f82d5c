/* SPDX-License-Identifier: BSD-2-Clause */
/* route_list: the routes that there are, for `netstat -r` and `route`. */
#ifndef SHELL_ROUTE_LIST_H
#define SHELL_ROUTE_LIST_H

/* As FreeBSD prints them. Devices have been looked for. */
void route_list_print(void);

#endif
