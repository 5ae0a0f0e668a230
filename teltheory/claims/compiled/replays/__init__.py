"""Claims on replays of forests, checked by loops in C on all small ones."""
