"""Clusters of engines in simulated time: Parrot beside what it is measured against."""
