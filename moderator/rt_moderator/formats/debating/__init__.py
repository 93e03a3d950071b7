"""What `debate`, `sequential`, `hybrid` and `auto` share; all but `grounding` and the flows is pure."""
