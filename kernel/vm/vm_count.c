/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting faults: see vm_count.h. */
#include "kernel/vm/vm_count.h"
#include <arch/interrupt_flag.h>
#include <sys/evcnt.h>
#include "kernel/base/law.h"
#include "kernel/process/process.h"

#define KIND(name) EVCNT_INITIALIZER(EVCNT_TYPE_MISC, &faults, "uvm", name)

static struct evcnt faults = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "uvm", "faults");
static struct evcnt kinds[VM_KINDS] = {
    [VM_KIND_THERE] = KIND("flt_anon"),      [VM_KIND_ZEROED] = KIND("flt_przero"),
    [VM_KIND_COPIED] = KIND("flt_acow"),     [VM_KIND_OBJECT] = KIND("flt_obj"),
    [VM_KIND_PROMOTED] = KIND("flt_prcopy"), [VM_KIND_NO_MEMORY] = KIND("fltnoram"),
    [VM_KIND_REFUSED] = KIND("flt_refused"),
};
EVCNT_ATTACH_STATIC(faults);
EVCNT_ATTACH_STATIC2(kinds, VM_KIND_THERE);
EVCNT_ATTACH_STATIC2(kinds, VM_KIND_ZEROED);
EVCNT_ATTACH_STATIC2(kinds, VM_KIND_COPIED);
EVCNT_ATTACH_STATIC2(kinds, VM_KIND_OBJECT);
EVCNT_ATTACH_STATIC2(kinds, VM_KIND_PROMOTED);
EVCNT_ATTACH_STATIC2(kinds, VM_KIND_NO_MEMORY);
EVCNT_ATTACH_STATIC2(kinds, VM_KIND_REFUSED);

LAW_OF_COUNTERS(vm_faults, "vm-faults", "faults", LAW_SUM(&faults), "their kinds",
                &kinds[VM_KIND_THERE], &kinds[VM_KIND_ZEROED], &kinds[VM_KIND_COPIED],
                &kinds[VM_KIND_OBJECT], &kinds[VM_KIND_PROMOTED], &kinds[VM_KIND_NO_MEMORY],
                &kinds[VM_KIND_REFUSED]);

uint64_t vm_count_on(enum vm_kind kind, unsigned cpu)
{
    return evcnt_cpu_value(&kinds[kind], cpu);
}

void vm_count_fault(enum vm_kind kind, bool device)
{
    struct process_faults *own = &process_current()->faults;
    uintptr_t state = interrupts_save();

    evcnt_incr(&faults);
    evcnt_incr(&kinds[kind]);
    interrupts_restore(state);
    if (kind == VM_KIND_NO_MEMORY || kind == VM_KIND_REFUSED)
        return;
    own->minor += !device;
    own->major += device;
    own->zeroed += kind == VM_KIND_ZEROED;
    own->copied += kind == VM_KIND_COPIED || kind == VM_KIND_PROMOTED;
}
