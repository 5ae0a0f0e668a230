"""The Prompt Markup Language of Prompt Cache (Gim et al. 2024): schemas, their layouts, and prompts."""
