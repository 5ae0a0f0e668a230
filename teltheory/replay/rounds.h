/* Trimming in whole rounds: surpluses in a segment tree over conversations in order of first arrival.

   A leaf is active while its conversation has surplus. Every node knows how many active leaves are below it, the
   least surplus among them, and what was taken from all of them together (`owed`), which is not pushed down. One
   round takes one from every active leaf; r rounds, r at most the least surplus, are one subtraction at the root.
   The last, unfinished round takes one from the first j active leaves: a subtraction at the O(log) nodes that make
   up that prefix. A leaf that reaches 0 is deactivated, which can happen once for every time it was inserted. */
#ifndef TELTHEORY_ROUNDS_H
#define TELTHEORY_ROUNDS_H

#include "base/numbers.h"

typedef struct {
    int64_t active; /* whether a leaf is active, or how many leaves below */
    int64_t least;  /* surplus; INT64_MAX where no leaf is active: a surplus and all that is owed add up to less */
    int64_t owed;
} Node;

typedef struct {
    Node *node; /* node 1 is the root */
    int64_t size;
} Tree;

/* The tree of a number of conversations that stands in three numbers a node; it has at most 4 nodes for each. */
static inline Tree tree_of(int64_t leaves, int64_t *numbers) {
    Tree tree = {(Node *)numbers, 1};
    while (tree.size < leaves) tree.size *= 2;
    return tree;
}

/* The tree of conversations without surplus. */
static inline Tree new_tree(int64_t leaves, int64_t *numbers) {
    Tree tree = tree_of(leaves, numbers);
    for (int64_t i = 0; i < 2 * tree.size; i++) tree.node[i] = (Node){0, INT64_MAX, 0};
    return tree;
}

/* Make a node agree with its children; return whether it did not. */
static inline bool update(Tree tree, int64_t i) {
    Node *node = &tree.node[i], *left = &tree.node[2 * i], *right = &tree.node[2 * i + 1];
    int64_t active = left->active + right->active;
    int64_t least = active ? smaller(left->least, right->least) - node->owed : INT64_MAX;
    bool changed = active != node->active || least != node->least;
    node->active = active;
    node->least = least;
    return changed;
}

/* Make the nodes above a changed one agree, as far up as anything changes. */
static inline void update_above(Tree tree, int64_t i) {
    for (i >>= 1; i && update(tree, i); i >>= 1) {}
}

/* Give a leaf a surplus, 0 or more, and return the one that it had. */
static inline int64_t exchange(Tree tree, int64_t leaf, int64_t surplus) {
    Node *node = &tree.node[tree.size + leaf];
    bool was_active = node->active;
    if (!was_active && surplus == 0) return 0;
    int64_t debt = 0;
    for (int64_t above = (tree.size + leaf) >> 1; above; above >>= 1) debt += tree.node[above].owed;
    int64_t before = was_active ? node->least - debt : 0;
    node->active = surplus > 0;
    node->least = surplus > 0 ? surplus + debt : INT64_MAX;
    update_above(tree, tree.size + leaf);
    return before;
}

/* Take one from each of the first `count` active leaves; there are more than that. */
static inline void take_from_first(Tree tree, int64_t count) {
    int64_t i = 1;
    while (i < tree.size) {
        i *= 2;
        Node *left = &tree.node[i];
        if (left->active > count) continue;
        count -= left->active;
        if (left->active) {
            left->owed++;
            left->least--;
        }
        i++;
    }
    for (i >>= 1; i; i >>= 1) update(tree, i);
}

/* Deactivate an active leaf with the least surplus. */
static inline void deactivate_least(Tree tree) {
    int64_t i = 1;
    while (i < tree.size) {
        i *= 2;
        const Node *left = &tree.node[i], *right = left + 1;
        if (!left->active || (right->active && right->least < left->least)) i++;
    }
    tree.node[i].active = 0;
    tree.node[i].least = INT64_MAX;
    update_above(tree, i);
}

/* Trim in rounds until the overflow or the surplus is gone; return the overflow that is left. */
static inline int64_t trim_rounds(Tree tree, int64_t overflow) {
    Node *root = &tree.node[1];
    while (overflow > 0 && root->active > 0) {
        int64_t rounds = smaller(overflow / root->active, root->least);
        if (rounds > 0) {
            root->owed += rounds;
            root->least -= rounds;
            overflow -= rounds * root->active;
        } else {
            take_from_first(tree, overflow);
            overflow = 0;
        }
        while (root->active > 0 && root->least == 0) deactivate_least(tree);
    }
    return overflow;
}

#endif
