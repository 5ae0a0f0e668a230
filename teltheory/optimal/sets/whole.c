/* Plans of whole items (`teltheory.optimal.sets.whole`). */

#include "base/numbers.h"

/* Keep whole items in an order, each if there is room at all its steps and its request still lacks something. An
   interval without steps takes no room. */
void keep_whole_items(int64_t reuses, int64_t requests, int64_t steps, const int64_t order[reuses],
                      const int64_t turn[reuses], const int64_t first[reuses], const int64_t last[reuses],
                      const int64_t size[reuses], int64_t lacking[requests], int64_t free[steps],
                      int64_t kept[reuses]) {
    for (int64_t at = 0; at < reuses; at++) {
        int64_t j = order[at], step = first[j];
        if (lacking[turn[j]] <= 0 && first[j] <= last[j]) continue;
        while (step <= last[j] && free[step] >= size[j]) step++;
        if (step <= last[j]) continue;
        kept[j] = size[j];
        lacking[turn[j]] -= size[j];
        for (step = first[j]; step <= last[j]; step++) free[step] -= size[j];
    }
}
