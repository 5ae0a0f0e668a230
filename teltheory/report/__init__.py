"""Documents and pages, made of rows, tables and replays that they are handed: nothing here decides a claim."""
