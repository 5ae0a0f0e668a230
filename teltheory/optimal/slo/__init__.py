"""SLO violations and percentiles: a turn is kept below its threshold, or not."""
