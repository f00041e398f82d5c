/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct bio as far as devstat_end_transaction_bio() looks at it: what a transfer was, and how much
 * of it took place. Not a block layer: drivers that have their own kind of request fill one in when
 * they report its end.
 */
#ifndef _SYS_BIO_H_
#define _SYS_BIO_H_

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BIO_READ    0x01
#define BIO_WRITE   0x02
#define BIO_DELETE  0x04
#define BIO_GETATTR 0x08
#define BIO_FLUSH   0x10

/* bio_flags */
#define BIO_ERROR   0x01
#define BIO_DONE    0x02
#define BIO_ONQUEUE 0x04
#define BIO_ORDERED 0x08

struct bio {
    u_int8_t bio_cmd; /* one of BIO_READ ... */
    u_int8_t bio_flags;
    int bio_error;
    long bio_bcount; /* bytes asked for */
    long bio_resid;  /* bytes of them not transferred */
    uint64_t bio_t0; /* when it was started, ns since start-up; 0: not known, no duration */
};

#ifdef __cplusplus
}
#endif

#endif
