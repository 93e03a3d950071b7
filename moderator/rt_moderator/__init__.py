"""The table: what the moderator and the host do, and the rt entry point."""
