"""`teltheory trace`."""
