"""A table on the whole screen of a terminal: a pure core (model, taking, pressing, frame) in a thin shell (screen)."""
