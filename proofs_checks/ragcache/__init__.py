"""What is decided about RAGCache (Jin et al. 2024): one file per section, each a list of claims."""

MODULES = (
    "skew",
    "characterization",
    "knowledge_tree",
    "prefix_costs",
    "reordering",
    "order_priority",
    "documents_and_tails",
    "served_requests",
)
