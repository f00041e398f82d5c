/* SPDX-License-Identifier: BSD-2-Clause */
/* Accounts of launched programs: see launch_account.h. */
#include "linux/program/launch_account.h"
#include "lib/string.h"
#include "linux/program/program_private.h"

/* The youngest first, so that the first of a thread is the innermost. Under program_lock. */
static TAILQ_HEAD(, launch_account) launch_accounts = TAILQ_HEAD_INITIALIZER(launch_accounts);

static struct launch_account *launch_account_current(void)
{
    struct launch_account *account;

    TAILQ_FOREACH (account, &launch_accounts, link)
        if (account->thread == thread_current())
            return account;
    return NULL;
}

static void launch_account_forget(struct program *program)
{
    LIST_REMOVE(program, of_account);
    program->account = NULL;
}

void launch_account_begin(struct launch_account *account)
{
    uintptr_t state = spinlock_acquire(&program_lock);

    memset(account, 0, sizeof *account);
    LIST_INIT(&account->programs);
    account->outer = launch_account_current();
    account->thread = thread_current();
    TAILQ_INSERT_HEAD(&launch_accounts, account, link);
    spinlock_release(&program_lock, state);
}

void launch_account_end(struct launch_account *account)
{
    uintptr_t state = spinlock_acquire(&program_lock);
    struct program *program;

    TAILQ_REMOVE(&launch_accounts, account, link);
    while ((program = LIST_FIRST(&account->programs)) != NULL)
        launch_account_forget(program);
    spinlock_release(&program_lock, state);
}

void launch_account_join(struct program *program)
{
    program->account = launch_account_current();
    if (program->account)
        LIST_INSERT_HEAD(&program->account->programs, program, of_account);
}

void launch_account_leave(struct program *program, const struct program_usage *usage)
{
    for (struct launch_account *account = program->account; account; account = account->outer)
        program_usage_sum(&account->usage, usage);
    launch_account_forget(program);
}
