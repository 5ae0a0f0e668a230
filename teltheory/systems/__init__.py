"""Systems of papers, each replayed to the same outcome: RAGCache, Prompt Cache, Parrot."""
