"""Statements in a line, such as ``TEL(tlru) <= TEL(lru)``: their grammar, and what decides them."""
