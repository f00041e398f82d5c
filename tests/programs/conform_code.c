/* SPDX-License-Identifier: BSD-2-Clause */
/* Code that a program writes itself: memory that is written to and executed, its copies after fork,
 * and functions within functions, whose trampolines lie on the stack. The same on Linux and Quipu.
 */
#include "conform.h"

#include <sys/mman.h>

#define RWX (PROT_READ | PROT_WRITE | PROT_EXEC)

/* A function that returns NUMBER, 0 to 127, at PLACE. */
static int (*write_code(void *place, int number))(void)
{
#ifdef __mips__
    uint32_t code[] = {0x24020000u | (uint32_t)number, 0x03e00008u, 0}; /* li v0; jr ra; nop */
#else
    uint8_t code[] = {0xb8, (uint8_t)number, 0, 0, 0, 0xc3}; /* mov eax; ret */
#endif

    memcpy(place, code, sizeof code);
    __builtin___clear_cache((char *)place, (char *)place + sizeof code);
    return (int (*)(void))place;
}

/* The rights of what is mapped at PLACE. */
static const char *rights_of(const void *place)
{
    static char rights[5];
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long start, end;
    char line[512];

    strcpy(rights, "none");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx", &start, &end) == 2 && (uintptr_t)place >= start &&
            (uintptr_t)place < end)
            sscanf(line, "%*s %4s", rights);
    if (maps)
        fclose(maps);
    return rights;
}

static void written_code(int flags)
{
    char *place = mmap(NULL, 8192, RWX, flags | MAP_ANONYMOUS, -1, 0);

    TEST(place != MAP_FAILED);
    if (place == MAP_FAILED)
        return;
    SAY("%s\n", rights_of(place));
    TEST(write_code(place, 42)());
    TEST(write_code(place, 43)());
    CHILD(TEST(((int (*)(void))place)()); TEST(write_code(place, 44)()));
    TEST(((int (*)(void))place)()); /* the child's, if it is shared */
    TEST(mprotect(place, 8192, PROT_READ | PROT_EXEC));
    CHILD(write_code(place, 45));
    TEST(mprotect(place + 4096, 4096, PROT_WRITE | PROT_EXEC));
    TEST(write_code(place + 4096, 46)());
    TEST(mprotect(place, 8192, RWX));
    SAY("%s %s\n", rights_of(place), rights_of(place + 4096));
    TEST(write_code(place, 47)() + ((int (*)(void))(place + 4096))());
    munmap(place, 8192);
}

static int call_with(int (*function)(int), int n)
{
    return function(n);
}

static void nested(void)
{
    int sum = 0, calls = 0;
    int add(int n)
    {
        calls++;
        return sum += n;
    }

    for (int i = 1; i <= 10; i++)
        call_with(add, i);
    SAY("sum %d of %d\n", sum, calls);
    CHILD(call_with(add, 45); SAY("sum %d of %d\n", sum, calls));
    SAY("stack %s\n", rights_of(&sum));
}

int main(void)
{
    conform_begin();
    written_code(MAP_PRIVATE);
    written_code(MAP_SHARED);
    nested();
    return conform_end(0);
}
