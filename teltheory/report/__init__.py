"""Documents made from the ledger's rows alone: nothing here decides or writes a file."""
