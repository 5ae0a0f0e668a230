/* Whole numbers: what every loop says with them. */
#ifndef TELTHEORY_NUMBERS_H
#define TELTHEORY_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* What is compiled into each caller: one body, compiled apart for each mixture of constant arguments. */
#define INLINED static inline __attribute__((always_inline))

/* A loop over whole numbers that is compiled for wider registers too. The library takes what its processor has. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define WIDENED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDENED
#endif

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* A value where something holds, else 0: without a branch, whatever the compiler thinks of it. */
static inline int64_t where(bool holds, int64_t value) { return value & -(int64_t)holds; }

static inline int64_t sum_of(int64_t n, const int64_t *values) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += values[i];
    return sum;
}

#endif
