"""What is decided about queues and replicas: one file per section, each a list of claims."""

MODULES = ("one_queue", "replicas")
