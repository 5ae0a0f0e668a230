"""`teltheory optimum`, and the check of its certificates."""
