"""RAGCache (Jin et al. 2024): documents whose KV cache requests share, its tiers, its queue and its pipeline."""
