"""The public schemas in the tokens of a real model."""

import pytest
from systems.modules.pml.test_pml_layout import PUBLIC, public

from teltheory.systems.modules import layout, tokenizer_of

pytestmark = pytest.mark.model


@pytest.mark.parametrize("file", PUBLIC)
def test_public_schemas_have_the_tokens_that_were_counted(file):
    assert layout(public(file), tokenizer_of("smollm2")).length == PUBLIC[file][2]
