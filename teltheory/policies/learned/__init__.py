"""Policies that estimate who returns and what they ask, with the estimates and scores that they are made of."""
