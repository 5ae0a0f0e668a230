/* Queues of replicas, request by request: who serves it, when, and what that takes (`teltheory.serving.engine`).

   Every sum and product of seconds stands in the order of the plain engine, so that seconds are the same bit for
   bit. Among replicas that are equally good the first one is taken. A cache is asked by two functions: `found`
   says what request k would reuse of each tier at a replica, if anything, and changes nothing; `serve` serves it
   and writes that.

   Each kind of requests is a loop of its own. Their parameters for what stands here have the same names. */
#ifndef TELTHEORY_QUEUES_H
#define TELTHEORY_QUEUES_H

#include <stddef.h>

#include "serving/sent.h"

/* Ways to choose: as was said before, the idlest, the session's, that with the least TTFT, the cache-aware
   router. */
enum { GIVEN, IDLEST, HOME, SOONEST, CACHE_AWARE };

typedef struct {
    int64_t n, replicas, tiers, block_size, overlapped, way;
    /* alpha, gamma, beta, the floor, one second, then what a unit of each tier loads */
    const double *arrival, *price;
    const int64_t *session, *inputs;
    const int64_t *cached; /* written by `serve`, a row a tier */
    double *free, *start, *load, *compute, *service;
    int64_t *home, *replica; /* of each session, -1 for none; of each request, which may be said before */
} Queues;

#define QUEUES \
    { \
        n, replicas, tiers, options[0], options[1], options[2], arrival, price, session, inputs, cached, \
        free, times, \
            times + n, times + 2 * n, times + 3 * n, home, replica \
    }

typedef struct {
    double load, compute, service;
} Seconds;

typedef bool (*Found)(const void *caches, int64_t r, int64_t k, int64_t *reused);
typedef void (*Serve)(const void *caches, int64_t r, int64_t k);

/* Seconds of request k, given what it reuses of each tier, `step` numbers apart. */
INLINED Seconds seconds_of(const Queues *queues, int64_t k, const int64_t *reused, int64_t step) {
    const double *price = queues->price;
    int64_t units = 0;
    Seconds found = {0.0, 0.0, 0.0};
    for (int64_t i = 0; i < queues->tiers; i++) {
        found.load = found.load + (double)reused[i * step] * price[5 + i];
        units += reused[i * step];
    }
    int64_t cached = units * queues->block_size;
    double u = (double)(queues->inputs[k] - cached), c = (double)cached;
    double linear = price[0] * u + price[1] * u * (u + 2 * c) + price[2];
    found.compute = (linear > price[3] ? linear : price[3]) / price[4];
    if (queues->overlapped)
        found.service = found.load > found.compute ? found.load : found.compute;
    else
        found.service = found.load + found.compute;
    return found;
}

/* Seconds of unfinished work of a replica when request k comes. */
INLINED double work_of(const Queues *queues, int64_t r, int64_t k) {
    double work = queues->free[r] - queues->arrival[k];
    return work > 0.0 ? work : 0.0;
}

INLINED int64_t idlest(const Queues *queues, int64_t k) {
    int64_t chosen = 0;
    double least = work_of(queues, 0, k);
    for (int64_t r = 1; r < queues->replicas && least > 0.0; r++) {
        double work = work_of(queues, r, k);
        if (work < least) {
            least = work;
            chosen = r;
        }
    }
    return chosen;
}

INLINED int64_t soonest(const Queues *queues, const void *caches, Found found, int64_t *reused, int64_t k) {
    int64_t chosen = 0;
    for (int64_t i = 0; i < queues->tiers; i++) reused[i] = 0;
    double least = 0.0, cold = seconds_of(queues, k, reused, 1).service; /* most replicas have nothing of it */
    for (int64_t r = 0; r < queues->replicas; r++) {
        double service = found(caches, r, k, reused) ? seconds_of(queues, k, reused, 1).service : cold;
        double ttft = work_of(queues, r, k) + service;
        if (r == 0 || ttft < least) {
            least = ttft;
            chosen = r;
        }
    }
    return chosen;
}

INLINED int64_t choose(const Queues *queues, Sent *sent, const void *caches, Found found, int64_t *reused,
                       int64_t k) {
    int64_t home = queues->home[queues->session[k]];
    switch (queues->way) {
    case GIVEN: return queues->replica[k];
    case HOME: return home >= 0 ? home : idlest(queues, k);
    case SOONEST: return soonest(queues, caches, found, reused, k);
    case CACHE_AWARE: return by_what_was_sent(sent, k, queues->arrival[k], queues->start, queues->service);
    default: return idlest(queues, k);
    }
}

/* Send the requests to the replicas, and serve them; `reused` has room for a number a tier. */
INLINED void serve_all(const Queues *queues, Sent *sent, const void *caches, Found found, Serve serve,
                       int64_t *reused) {
    for (int64_t k = 0; k < queues->n; k++) {
        int64_t r = choose(queues, sent, caches, found, reused, k);
        serve(caches, r, k);
        Seconds taken = seconds_of(queues, k, &queues->cached[k], queues->n);
        double arrival = queues->arrival[k], *free = &queues->free[r];
        queues->start[k] = arrival > *free ? arrival : *free;
        queues->load[k] = taken.load;
        queues->compute[k] = taken.compute;
        queues->service[k] = taken.service;
        *free = queues->start[k] + taken.service;
        queues->home[queues->session[k]] = queues->replica[k] = r;
    }
}

#endif
