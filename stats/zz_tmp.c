#include "stats/kstat_pattern.h"
int kstat_regex_compile(struct kstat_regex **r, const char *t, size_t l, const char **e){(void)t;(void)l;(void)e;*r=0;return 0;}
void kstat_regex_free(struct kstat_regex *r){(void)r;}
bool kstat_regex_match(const struct kstat_regex *r, const char *t){(void)r;(void)t;return true;}
