/* The two kinds of cuts at one step (`teltheory.optimal.slo.cuts`).

   The needs at a step add up to less than 2^63, and each is 1 or more and fits into the room. */

#include <math.h>

#include "base/numbers.h"

/* Return the need whose rounded row is violated most, the first of several. */
static int64_t best_divisor(int64_t n, const double *share, const int64_t *need, int64_t room) {
    int64_t best = 1;
    double most = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        double weight = 0.0, length = 0.0;
        for (int64_t k = 0; k < n; k++) {
            double times = (double)(need[k] / need[i]);
            weight += times * share[k];
            length += times * times;
        }
        double excess = (weight - (double)(room / need[i])) / sqrt(length);
        if (excess > most) {
            best = need[i];
            most = excess;
        }
    }
    return best;
}

/* Weigh intervals with 1, in an order, until they do not fit; drop what is not needed for that; count them. */
static int64_t cover(int64_t n, const int64_t *order, const double *share, const int64_t *need, int64_t room,
                     double almost_one, int64_t *weights) {
    int64_t taken = 0, count = 0;
    for (; count < n && taken <= room; count++) {
        weights[order[count]] = 1;
        taken += need[order[count]];
    }
    if (taken <= room) return 0; /* all fit */
    for (int64_t j = count - 1; j >= 0; j--) {
        int64_t k = order[j];
        if (share[k] >= almost_one || taken - need[k] <= room) continue;
        weights[k] = 0;
        taken -= need[k];
    }
    return sum_of(n, weights);
}

/* Add an item to the least need of each weight up to the heaviest; needs above the room are all alike. */
static void add_item(int64_t heaviest, int64_t *least, int64_t weight, int64_t need, int64_t room) {
    for (int64_t total = heaviest; total >= weight; total--) {
        int64_t before = least[total - weight];
        if (before <= room - need) least[total] = smaller(least[total], before + need);
    }
}

/* Weigh a cover with 1 and lift the other intervals; return the most that the weights of a solution add up to, -1
   if all fit together: then the weights are of no use. No solution is heavier than that, whatever was lifted. */
static int64_t lifted_cover(int64_t n, const int64_t *order, const int64_t *lifted, const double *share,
                            const int64_t *need, int64_t room, double almost_one, int64_t heaviest, int64_t *least,
                            int64_t *weights) {
    int64_t most = cover(n, order, share, need, room, almost_one, weights) - 1;
    if (most < 0) return most;
    heaviest = smaller(heaviest, most);
    for (int64_t weight = 1; weight <= heaviest; weight++) least[weight] = room + 1;
    least[0] = 0;
    for (int64_t k = 0; k < n; k++)
        if (weights[k] == 1) add_item(heaviest, least, 1, need[k], room);
    for (int64_t j = 0; j < n; j++) {
        int64_t k = lifted[j], beside = heaviest; /* the most that fits beside it */
        if (weights[k]) continue;
        while (beside && least[beside] > room - need[k]) beside--;
        weights[k] = most - beside;
        if (weights[k]) add_item(heaviest, least, weights[k], need[k], room);
    }
    return most;
}

/* By how much shares violate a cut, over the length of its weights as a vector; 0 if these are too heavy. */
static double excess_of(int64_t n, const double *share, const int64_t *weights, int64_t most, int64_t heaviest) {
    double weight = 0.0, length = 0.0;
    for (int64_t k = 0; k < n; k++) {
        weight += (double)weights[k] * share[k];
        length += (double)weights[k] * (double)weights[k];
    }
    if (most < 0 || sum_of(n, weights) > heaviest) return 0.0;
    return (weight - (double)most) / fmax(sqrt(length), 1.0);
}

/* Weigh the intervals of a step: by the rounding that is violated most, then by a lifted cover in each of three
   orders. `weights` are 0 at first and have a row for each, `most` what the weights of a solution add up to,
   `excess` by how much shares violate that. */
void weigh_cuts(int64_t n, const double share[n], const int64_t need[n], int64_t room, const int64_t orders[3 * n],
                const int64_t lifted[n], double almost_one, int64_t heaviest, int64_t least[heaviest + 1],
                int64_t weights[4 * n], int64_t most[4], double excess[4]) {
    int64_t divisor = best_divisor(n, share, need, room);
    for (int64_t k = 0; k < n; k++) weights[k] = need[k] / divisor;
    most[0] = room / divisor;
    for (int64_t c = 0; c < 3; c++)
        most[c + 1] = lifted_cover(n, orders + c * n, lifted, share, need, room, almost_one, heaviest, least,
                                   weights + (c + 1) * n);
    for (int64_t c = 0; c < 4; c++) excess[c] = excess_of(n, share, weights + c * n, most[c], heaviest);
}
