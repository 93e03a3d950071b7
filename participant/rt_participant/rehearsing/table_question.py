"""A first question, scripted."""

from __future__ import annotations


def reply(prompt: str, behaviour: str) -> str:
    """A question about the first line of the topic."""
    lines = prompt.partition("## Topic")[2].strip().split("\n")[1:]
    topic = next((line.strip() for line in lines if line.strip()), "this")[:120]
    return f"What would have to be true for you to say yes to: {topic} (asked by a rehearsal)\n"
