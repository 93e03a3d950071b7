"""Keeping records outside the bus: exports, archives, backups, and a space's schema. See `lines` for the one file format."""
