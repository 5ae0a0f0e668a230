/* Return hazards and the indices that come of them, renewed as requests go by.

   `teltheory.policies.learned.hazards` says what is estimated, and is the reference of this loop. A cell is a tag,
   a number and a length, in this order; a visit is counted from its request on, as silent still until the next
   visit to the same item returns. Visits of one request in one cell that are followed by one request, or by none
   yet, count once. They are neighbours on the path: the last requests through it fall along it, and so do numbers.
   Sums go in the order of cells, so that cells that nothing has reached yet change no bit of them. */

#include <math.h>

#include "base/numbers.h"

enum { MOST_BINS = 64 };

typedef struct {
    int64_t cells, bins;
    const double *ends;
    double *within, *seen, *returns; /* seconds in the bin itself, visits that end in it, returns */
} Counted;

static int64_t bin_of(const Counted *all, double silence) {
    int64_t low = 0, high = all->bins - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) >> 1;
        if (all->ends[middle] <= silence)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Whether two visits, the first one perhaps none, are of one request and in one cell. */
INLINED bool alike(int64_t u, int64_t v, const int64_t *request, const int64_t *cell) {
    return u >= 0 && request[u] == request[v] && cell[u] == cell[v];
}

static void add(const Counted *all, int64_t cell, double silence, bool returned) {
    int64_t b = bin_of(all, silence), at = cell * all->bins + b;
    all->within[at] += fmin(silence - all->ends[b], all->ends[b + 1] - all->ends[b]);
    all->seen[at] += 1;
    if (returned) all->returns[at] += 1;
}

/* Fit what rises (or falls, from the end) by pooling neighbours: `count` values by `step` from `from` on. */
static void pool(int64_t count, int64_t from, int64_t step, const double *returns, const double *exposure,
                 double *fitted) {
    double level[MOST_BINS], weight[MOST_BINS];
    int64_t size[MOST_BINS], blocks = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t b = from + i * step;
        level[blocks] = returns[b] / exposure[b];
        weight[blocks] = exposure[b];
        size[blocks++] = 1;
        while (blocks > 1 && level[blocks - 2] >= level[blocks - 1]) {
            double both = weight[blocks - 2] + weight[blocks - 1];
            double seen = level[blocks - 2] * weight[blocks - 2] + level[blocks - 1] * weight[blocks - 1];
            level[blocks - 2] = seen / both;
            weight[blocks - 2] = both;
            size[blocks - 2] += size[blocks - 1];
            blocks--;
        }
    }
    for (int64_t block = 0, i = 0; block < blocks; block++)
        for (int64_t j = 0; j < size[block]; j++, i++) fitted[from + i * step] = level[block];
}

/* Write the likeliest hazards that rise up to some bin and fall from there on. */
static void fit_single_peak(int64_t bins, const double *returns, const double *exposure, double *best) {
    double fitted[MOST_BINS], most = -INFINITY;
    for (int64_t peak = 0; peak < bins; peak++) {
        double likelihood = 0;
        pool(peak, 0, 1, returns, exposure, fitted);
        pool(bins - peak, bins - 1, -1, returns, exposure, fitted);
        for (int64_t b = 0; b < bins; b++) likelihood += returns[b] * log(fitted[b]) - exposure[b] * fitted[b];
        if (likelihood <= most) continue;
        most = likelihood;
        for (int64_t b = 0; b < bins; b++) best[b] = fitted[b];
    }
}

/* Write the hazard of each bin over all cells; `prior` returns are what nothing is known of. */
static void fit_common(const Counted *all, const double *exposure, double prior, double *common) {
    double returned[MOST_BINS] = {0}, seconds[MOST_BINS] = {0}, returns = 0, whole = 0, expected = 0;
    for (int64_t c = 0; c < all->cells; c++)
        for (int64_t b = 0; b < all->bins; b++) {
            returned[b] += all->returns[c * all->bins + b];
            seconds[b] += exposure[c * all->bins + b];
        }
    for (int64_t b = 0; b < all->bins; b++) {
        returns += returned[b];
        whole += seconds[b];
    }
    double level = (returns + 1) / (whole + 1), known[MOST_BINS];
    for (int64_t b = 0; b < all->bins; b++) {
        returned[b] += prior;
        known[b] = seconds[b] + prior / level;
        if (b + 1 == all->bins) break;
        double shorter = (all->ends[b + 1] - all->ends[b]) / (all->ends[b + 2] - all->ends[b + 1]);
        level = returned[b] / known[b] * fmin(1, shorter);
    }
    fit_single_peak(all->bins, returned, known, common);
    for (int64_t b = 0; b < all->bins; b++) expected += seconds[b] * common[b];
    for (int64_t b = 0; b < all->bins; b++) common[b] *= (returns + prior) / (expected + prior);
}

/* Multiply what cells are to the common hazard by the ratios of groups of `width` neighbours, shrunk towards 1. */
static void shrink(int64_t cells, int64_t width, const double *returns, const double *expected, double *ratio) {
    double apart = 0, squares = 0;
    for (int64_t group = 0; group < cells; group += width) {
        double found = 0, led = 0;
        for (int64_t c = group; c < group + width; c++) {
            found += returns[c];
            led += ratio[c] * expected[c];
        }
        apart += (found - led) * (found - led) - found;
        squares += led * led;
    }
    if (apart <= 0) return;
    double prior = squares / apart;
    for (int64_t group = 0; group < cells; group += width) {
        double found = prior, led = prior;
        for (int64_t c = group; c < group + width; c++) {
            found += returns[c];
            led += ratio[c] * expected[c];
        }
        for (int64_t c = group; c < group + width; c++) ratio[c] *= found / led;
    }
}

/* Write the logarithm of the return index of a cell in the middle of each bin, to nine places. */
static void index_returns(const Counted *all, const double *common, double ratio, double *worth) {
    double here[MOST_BINS], half[MOST_BINS];
    for (int64_t b = 0; b < all->bins; b++) {
        double width = all->ends[b + 1] - all->ends[b], hazard = ratio * common[b];
        here[b] = exp(-hazard * width);
        half[b] = exp(-hazard * (width / 2));
    }
    for (int64_t b = 0; b < all->bins; b++) {
        double silent = 1, kept = 0, most = 0;
        for (int64_t end = b; end < all->bins; end++) {
            double through = end == b ? half[end] : here[end];
            kept += silent * (1 - through) / (ratio * common[end]);
            silent *= through;
            most = fmax(most, (1 - silent) / kept);
        }
        worth[b] = nearbyint(log(most) * 1e9) / 1e9;
    }
}

/* Write the indices of all cells and bins, given what was counted. */
static void estimate(const Counted *all, int64_t tags, int64_t numbers, int64_t lengths, double prior,
                     double *room, double *worth) {
    int64_t cells = all->cells, bins = all->bins;
    double *exposure = room, *returns = room + cells * bins;
    double *expected = returns + cells, *ratio = expected + cells, common[MOST_BINS];
    for (int64_t c = 0; c < cells; c++) {
        double beyond = 0;
        returns[c] = expected[c] = 0;
        ratio[c] = 1;
        for (int64_t at = (c + 1) * bins - 1, b = bins - 1; b >= 0; b--, at--) {
            exposure[at] = all->within[at] + beyond * (all->ends[b + 1] - all->ends[b]);
            beyond += all->seen[at];
            returns[c] += all->returns[at];
        }
    }
    fit_common(all, exposure, prior, common);
    for (int64_t c = 0; c < cells; c++)
        for (int64_t b = 0; b < bins; b++) expected[c] += exposure[c * bins + b] * common[b];
    if (tags > 1) shrink(cells, numbers * lengths, returns, expected, ratio);
    shrink(cells, lengths, returns, expected, ratio);
    shrink(cells, 1, returns, expected, ratio);
    for (int64_t c = 0; c < cells; c++) index_returns(all, common, ratio[c], worth + c * bins);
}

/* Write the indices of all cells and bins as they are known after the requests `after`, one estimate after the
   other. `open` has room for the visits that nothing has followed yet; `room` for eight numbers a cell and bin. */
void learn_returns(int64_t n, int64_t visits, const int64_t start[n + 1], const int64_t previous[visits],
                   const double time[n], const int64_t cell[visits], int64_t tags, int64_t numbers,
                   int64_t lengths, int64_t bins, const double ends[bins + 1], double prior, int64_t estimates,
                   const int64_t after[estimates], int64_t request[visits], int64_t open[visits],
                   bool followed[visits], double room[8 * tags * numbers * lengths * bins],
                   double worth[estimates * tags * numbers * lengths * bins]) {
    int64_t cells = tags * numbers * lengths, size = cells * bins, waiting = 0, next = 0;
    Counted closed = {cells, bins, ends, room, room + size, room + 2 * size};
    Counted now = {cells, bins, ends, room + 3 * size, room + 4 * size, room + 2 * size};
    for (int64_t i = 0; i < 3 * size; i++) room[i] = 0;
    for (int64_t k = 0; k < n && next < estimates; k++) {
        for (int64_t v = start[k], before = -1; v < start[k + 1]; v++) {
            int64_t p = previous[v];
            request[v] = k;
            followed[v] = false;
            open[waiting++] = v;
            if (p < 0) continue;
            followed[p] = true;
            if (!alike(before, p, request, cell)) add(&closed, cell[p], time[k] - time[request[p]], true);
            before = p;
        }
        if (after[next] != k) continue;
        int64_t left = 0;
        for (int64_t i = 0; i < 2 * size; i++) now.within[i] = room[i];
        for (int64_t i = 0, before = -1; i < waiting; i++) {
            int64_t v = open[i];
            if (followed[v]) continue;
            open[left++] = v;
            if (!alike(before, v, request, cell)) add(&now, cell[v], time[k] - time[request[v]], false);
            before = v;
        }
        waiting = left;
        estimate(&now, tags, numbers, lengths, prior, room + 5 * size, worth + next++ * size);
    }
}
