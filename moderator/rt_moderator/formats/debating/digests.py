"""The digest that a reply ends with; where there is none, its first words, marked as such. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from rt_moderator.formats.debating import reading

INFERRED = "[DIGEST INFERRED]"
MOST_WORDS = 200


@dataclass(frozen=True, slots=True)
class Digest:
    """What a seat's reply comes to, for its peers and the synthesis."""

    text: str
    inferred: bool = False

    @property
    def marked(self) -> str:
        """The text, with the mark when nobody wrote it as a digest."""
        return f"{INFERRED} {self.text}" if self.inferred else self.text


def digest_of(text: str) -> Digest:
    """The section `Self-digest` of a reply, else its first 200 words, inferred."""
    if found := reading.section(text, "self digest"):
        return Digest(found)
    return Digest(" ".join(text.split()[:MOST_WORDS]), inferred=True)
