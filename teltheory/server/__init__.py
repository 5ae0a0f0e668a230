"""A live server measured: streamed answers, and the file of what was measured."""
