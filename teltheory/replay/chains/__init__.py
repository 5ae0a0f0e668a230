"""Private conversations: the plain reference, and a compiled loop for each kind of order."""
