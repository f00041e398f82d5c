/* SPDX-License-Identifier: BSD-2-Clause */
/* System V's shared memory, semaphores and message queues: sysvipc(7). */
#include "conform.h"
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

/* Of this process, with three more behind it: two of them may run on one machine. */
static key_t KEY;

union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
};

static void memory(void)
{
    int id = shmget(KEY, 10000, IPC_CREAT | IPC_EXCL | 0600), again;
    struct shmid_ds data;
    char *at, *other;

    TEST(id >= 0);
    TEST(shmget(KEY, 10000, IPC_CREAT | IPC_EXCL | 0600));
    TEST(shmget(KEY, 20000, 0));
    TEST(shmget(KEY + 1, 100, 0));
    TEST(shmget(KEY + 1, 0, IPC_CREAT));
    TEST(shmget(KEY, 100, 0) == id);
    at = shmat(id, NULL, 0);
    TEST(at != (void *)-1);
    TEST(shmat(id, (void *)12345, 0) == (void *)-1);
    TEST(shmat(999999, NULL, 0) == (void *)-1);
    other = shmat(id, NULL, SHM_RDONLY);
    TEST(other != at);
    strcpy(at, "seen twice");
    SAY("%s\n", other);
    TEST(shmctl(id, IPC_STAT, &data));
    TEST(data.shm_segsz);
    TEST(data.shm_nattch);
    TEST(data.shm_perm.mode);
    TEST(data.shm_cpid == getpid());
    TEST(data.shm_perm.__key == KEY);
    CHILD(strcpy(at, "a child's"); shmctl(id, IPC_STAT, &data); TEST(data.shm_nattch);
          TEST(shmdt(at)));
    SAY("%s\n", at);
    CHILD(other[0] = 'x'); /* read-only */
    TEST(shmdt(at + 1));
    TEST(shmdt(at + 4096));
    TEST(shmdt(other));
    TEST(shmdt(other));
    TEST(shmctl(id, IPC_STAT, &data));
    TEST(data.shm_nattch);
    TEST(shmctl(id, 77, &data));
    TEST(shmctl(id, IPC_STAT, (void *)8));
    TEST(shmctl(id, IPC_RMID, NULL));
    TEST(shmget(KEY, 100, 0));
    TEST(shmctl(id, IPC_STAT, &data)); /* it has a number while it is attached, but no key */
    TEST(data.shm_perm.mode);
    TEST(data.shm_perm.__key);
    TEST(data.shm_nattch);
    other = shmat(id, NULL, 0);
    TEST(strcmp(at, other));
    TEST(shmctl(id, IPC_RMID, NULL));
    data.shm_perm.mode = 0640;
    TEST(shmctl(id, IPC_SET, &data));
    TEST(shmctl(id, IPC_STAT, &data));
    TEST(data.shm_perm.mode);
    TEST(shmdt(other));
    SAY("%s\n", at); /* still there */
    again = shmget(KEY, 100, IPC_CREAT | 0600);
    TEST(again >= 0 && again != id);
    TEST(shmctl(again, IPC_RMID, NULL));
    TEST(shmdt(at));
    TEST(shmctl(id, IPC_RMID, NULL));
    id = shmget(IPC_PRIVATE, 1, 0600);
    TEST(id >= 0);
    at = shmat(id, NULL, 0);
    TEST(shmctl(id, IPC_RMID, NULL));
    CHILD(at[4095] = 'y'); /* whole pages */
    TEST(at[4095] == 'y');
    TEST(shmdt(at));
}

static int set;

static void *lowers(void *result)
{
    struct sembuf by = {0, -1, 0};

    *(long *)result = semop(set, &by, 1) == 0 ? 0 : errno;
    return NULL;
}

static void handler(int signal_)
{
    (void)signal_;
}

static void semaphores(void)
{
    struct sembuf up = {0, 1, 0}, down = {0, -1, IPC_NOWAIT}, zero = {0, 0, IPC_NOWAIT};
    struct sembuf both[2] = {{0, 2, 0}, {1, -1, IPC_NOWAIT}}, undo = {1, 5, SEM_UNDO};
    struct sembuf wait_ = {0, -1, 0}, odd = {9, 1, 0}, high = {0, 32767, 0};
    struct timespec soon = {0, 20000000};
    unsigned short values[3] = {4, 5, 6};
    struct semid_ds data;
    pthread_t thread;
    long result;

    TEST(semget(KEY, -1, IPC_CREAT));
    TEST(semget(KEY, 0, IPC_CREAT));
    set = semget(KEY, 3, IPC_CREAT | 0600);
    TEST(set >= 0);
    TEST(semget(KEY, 4, 0));
    TEST(semctl(set, 0, GETVAL));
    TEST(semop(set, &zero, 1));
    TEST(semop(set, &down, 1));
    TEST(semop(set, &up, 1));
    TEST(semop(set, &zero, 1));
    TEST(semop(set, both, 2));
    TEST(semctl(set, 0, GETVAL)); /* all or nothing */
    TEST(semop(set, &odd, 1));
    TEST(semop(set, &high, 1));
    TEST(semop(set, &up, 0));
    TEST(semop(set, (void *)8, 1));
    TEST(semop(999999, &up, 1));
    TEST(semctl(set, 0, GETPID) == getpid());
    TEST(semctl(set, 0, SETVAL, (union semun){.val = 70000}));
    TEST(semctl(set, 7, SETVAL, (union semun){.val = 1}));
    TEST(semctl(set, 0, SETALL, (union semun){.array = values}));
    memset(values, 0, sizeof values);
    TEST(semctl(set, 0, GETALL, (union semun){.array = values}));
    SAY("%d %d %d\n", values[0], values[1], values[2]);
    CHILD(TEST(semop(set, &undo, 1)); TEST(semctl(set, 1, GETVAL)));
    TEST(semctl(set, 1, GETVAL)); /* undone */
    TEST(semctl(set, 0, SETVAL, (union semun){.val = 0}));
    TEST(semtimedop(set, &wait_, 1, &soon));
    pthread_create(&thread, NULL, lowers, &result);
    while (semctl(set, 0, GETNCNT) == 0)
        usleep(1000);
    TEST(semctl(set, 0, GETNCNT));
    TEST(semop(set, &up, 1));
    pthread_join(thread, NULL);
    TEST(result);
    signal(SIGALRM, handler);
    ualarm(20000, 20000);
    TEST(semop(set, &wait_, 1));
    soon.tv_sec = 5;
    TEST(semtimedop(set, &wait_, 1, &soon));
    ualarm(0, 0);
    TEST(semctl(set, 0, IPC_STAT, (union semun){.buf = &data}));
    TEST(data.sem_nsems);
    TEST(data.sem_perm.mode);
    pthread_create(&thread, NULL, lowers, &result);
    while (semctl(set, 0, GETNCNT) == 0)
        usleep(1000);
    TEST(semctl(set, 0, IPC_RMID));
    pthread_join(thread, NULL);
    TEST(result == EIDRM);
    TEST(semctl(set, 0, GETVAL));
}

static void queues(void)
{
    struct {
        long type;
        char text[16];
    } m = {1, "first"};
    int id = msgget(KEY, IPC_CREAT | IPC_EXCL | 0600), status;
    struct msqid_ds data;

    TEST(id >= 0);
    TEST(msgget(KEY, IPC_CREAT | IPC_EXCL | 0600));
    TEST(msgrcv(id, &m, sizeof m.text, 0, IPC_NOWAIT));
    TEST(msgsnd(id, &m, 6, 0));
    m.type = 3;
    strcpy(m.text, "third");
    TEST(msgsnd(id, &m, 6, 0));
    m.type = 2;
    strcpy(m.text, "second");
    TEST(msgsnd(id, &m, 7, 0));
    m.type = 0;
    TEST(msgsnd(id, &m, 1, 0));
    m.type = 1;
    TEST(msgsnd(id, &m, 100000, 0));
    TEST(msgsnd(id, (void *)8, 1, 0));
    TEST(msgctl(id, IPC_STAT, &data));
    TEST(data.msg_qnum);
    TEST(data.msg_qbytes);
    TEST(msgrcv(id, &m, 3, 0, 0));
    TEST(msgrcv(id, &m, 16, 0, MSG_COPY)); /* must not wait, and leaves it there */
    TEST(msgrcv(id, &m, 16, 0, MSG_COPY | IPC_NOWAIT | MSG_EXCEPT));
    TEST(msgrcv(id, &m, 16, 1, MSG_COPY | IPC_NOWAIT));
    SAY("%ld %s\n", m.type, m.text);
    TEST(msgrcv(id, &m, 16, 99, MSG_COPY | IPC_NOWAIT));
    TEST(msgrcv(id, &m, 16, -1, MSG_COPY | IPC_NOWAIT));
    TEST(msgrcv(id, &m, 2, 1, MSG_COPY | IPC_NOWAIT));
    TEST(msgrcv(id, &m, 2, 1, MSG_COPY | IPC_NOWAIT | MSG_NOERROR));
    TEST(msgrcv(id, &m, 3, 0, MSG_NOERROR));
    SAY("%ld %.3s\n", m.type, m.text);
    TEST(msgrcv(id, &m, 16, -3, 0));
    SAY("%ld %s\n", m.type, m.text);
    TEST(msgrcv(id, &m, 16, 7, IPC_NOWAIT));
    TEST(msgrcv(id, &m, 16, 7, MSG_EXCEPT));
    SAY("%ld %s\n", m.type, m.text);
    if (fork() == 0) {
        m.type = 5;
        usleep(10000);
        _exit(msgsnd(id, &m, 4, 0) != 0);
    }
    TEST(msgrcv(id, &m, 16, 5, 0));
    wait(&status);
    TEST(status);
    m.type = 1;
    while (msgsnd(id, &m, 16, IPC_NOWAIT) == 0)
        ;
    TEST(errno == EAGAIN);
    TEST(msgctl(id, IPC_STAT, &data));
    TEST(data.msg_qnum);
    TEST(msgctl(id, IPC_RMID, NULL));
    TEST(msgsnd(id, &m, 1, 0));
    TEST(msgctl(id, IPC_RMID, NULL));
}

int main(void)
{
    KEY = 0x51000000 + 4 * getpid();
    memory();
    semaphores();
    queues();
    return 0;
}
