"""Formats as durable procedures: a journal, commands that replay from it, and what a format sees of its table."""
