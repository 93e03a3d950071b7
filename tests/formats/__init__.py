"""The formats, driven on a real bus."""
