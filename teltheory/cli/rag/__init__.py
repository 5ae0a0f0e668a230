"""`teltheory rag`."""
