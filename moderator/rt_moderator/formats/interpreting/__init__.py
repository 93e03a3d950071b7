"""The pieces of `interpret`: who sits, what is replied, what is agreed and what is open, the report."""
