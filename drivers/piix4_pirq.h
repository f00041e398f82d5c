/* SPDX-License-Identifier: BSD-2-Clause */
/* How the PIIX4 leads the four interrupt pins of PCI to the i8259s. */
#pragma once

/* The i8259 line that input PIRQ (0 to 3: A to D) arrives at. One that no firmware has routed is
 * routed as YAMON does it. 0 if there is no PIIX4. Thread context. */
unsigned piix4_pirq_irq(unsigned pirq);
