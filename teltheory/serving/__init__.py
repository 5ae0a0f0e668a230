"""Replicas with their own caches and queues: who serves which request, and when its first token is there."""
