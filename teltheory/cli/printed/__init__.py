"""What commands print and write: tables, JSON, files, standard streams."""
