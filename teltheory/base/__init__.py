"""What every room may use: extras, files, processes, progress, a store."""
