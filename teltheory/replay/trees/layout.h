/* A forest as the loops over visits read it (`teltheory.replay.trees.visits`), and what they write of requests. */
#ifndef TELTHEORY_TREE_LAYOUT_H
#define TELTHEORY_TREE_LAYOUT_H

#include "base/numbers.h"

typedef struct {
    const int64_t *parent, *length, *above; /* of each piece */
    const int64_t *start, *piece;           /* the first visit of each request, the piece of each visit */
    const int64_t *ask, *end;               /* of each request */
    int64_t *cached, *written;
} Layout;

#endif
