/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The example of the evcnt manual page, in its own words where they are code: a driver called foo,
 * in the C of its day, with its counters in the softc. (The page declares sc_ev_intr and attaches
 * sc_ev; here both are sc_ev_intr.)
 */
#include <sys/device.h>

#include "tests/host/test.h"

#include <string.h>

struct foo_softc {
    struct device sc_dev;       /* generic device information */
    struct evcnt sc_ev_intr;    /* interrupt count */
    struct evcnt sc_ev_intr_rd; /* 'readable' interrupt count */
    struct evcnt sc_ev_intr_wr; /* 'writable' interrupt count */
};

void fooattach(struct device *, struct device *, void *);

/* clang-format off */
void
fooattach(parent, self, aux)
        struct device *parent, *self;
        void *aux;
{
        struct foo_softc *sc = (struct foo_softc *)self;

        (void)parent;
        (void)aux;
        /* Initialize and attach event counters. */
        evcnt_attach_dynamic(&sc->sc_ev_intr, EVCNT_TYPE_INTR,
            NULL, sc->sc_dev.dv_xname, "intr");
        evcnt_attach_dynamic(&sc->sc_ev_intr_rd, EVCNT_TYPE_INTR,
            &sc->sc_ev_intr, sc->sc_dev.dv_xname, "intr rd");
        evcnt_attach_dynamic(&sc->sc_ev_intr_wr, EVCNT_TYPE_INTR,
            &sc->sc_ev_intr, sc->sc_dev.dv_xname, "intr wr");
}
/* clang-format on */

static void foo_intr(struct foo_softc *sc, bool readable)
{
    evcnt_incr(&sc->sc_ev_intr);
    if (readable)
        evcnt_incr(&sc->sc_ev_intr_rd);
    else
        evcnt_incr(&sc->sc_ev_intr_wr);
}

TEST(foo_driver_from_the_manual)
{
    struct foo_softc sc;

    memset(&sc, 0x5a, sizeof sc); /* dynamic attachment clears the counters itself */
    strcpy(sc.sc_dev.dv_xname, "foo0");
    fooattach(NULL, &sc.sc_dev, NULL);
    for (int i = 0; i < 10; i++)
        foo_intr(&sc, i < 7);
    CHECK_EQUAL(evcnt_value(evcnt_lookup("foo0", "intr")), 10);
    CHECK_EQUAL(evcnt_value(evcnt_lookup("foo0", "intr rd")), 7);
    CHECK_EQUAL(evcnt_value(evcnt_lookup("foo0", "intr wr")), 3);
    CHECK(sc.sc_ev_intr_rd.ev_parent == &sc.sc_ev_intr);
    evcnt_detach(&sc.sc_ev_intr_wr);
    evcnt_detach(&sc.sc_ev_intr_rd);
    evcnt_detach(&sc.sc_ev_intr);
    CHECK(evcnt_lookup("foo0", "intr") == NULL);
}

/* The page's static example. */
struct evcnt aligntrap_ev = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "cpu", "aligntrap");

TEST(aligntrap_from_the_manual)
{
    evcnt_attach_static(&aligntrap_ev);
    CHECK(evcnt_lookup("cpu", "aligntrap") == &aligntrap_ev);
    evcnt_detach(&aligntrap_ev);
}
