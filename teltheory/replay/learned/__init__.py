"""The replay of what follows the best of several policies: one loop for conversations and forests."""
