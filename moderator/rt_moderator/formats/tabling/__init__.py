"""The pieces of `table`: the roster, roles, syntheses and the wrap-up."""
