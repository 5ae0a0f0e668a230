"""Prompt Cache (Gim et al. 2024): prompts made of modules whose attention is reused.

The language, layouts and items need nothing beyond the toolkit. What runs a model is the extra `modules`, which is
installed with constraints.txt, as that pins PyTorch for a CPU: docs/modules.md says how.
"""

from teltheory.systems.modules.items import Item, PromptPlan, plan
from teltheory.systems.modules.pml.layout import Layout, layout
from teltheory.systems.modules.pml.prompt import (
    Prompt,
    Resolved,
    Stretch,
    read_prompt,
    resolve,
    schema_of,
    stretches,
)
from teltheory.systems.modules.pml.reading import read_schema, read_schemas
from teltheory.systems.modules.pml.roles import CHATML, LLAMA2, NO_ROLES, Roles
from teltheory.systems.modules.pml.tokens import BYTES, Tokenizer
from teltheory.systems.modules.tokenizers import tokenizer_of

__all__ = [
    "BYTES",
    "CHATML",
    "LLAMA2",
    "NO_ROLES",
    "Item",
    "Layout",
    "Prompt",
    "PromptPlan",
    "Resolved",
    "Roles",
    "Stretch",
    "Tokenizer",
    "layout",
    "plan",
    "read_prompt",
    "read_schema",
    "read_schemas",
    "resolve",
    "schema_of",
    "stretches",
    "tokenizer_of",
]
