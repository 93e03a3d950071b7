"""Whether a reply can stand in the record as a seat's answer. Imports nothing: the hot door asks before it sends."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_CERTAIN = frozenset({"from", "subject"})  # no answer begins with such a line
_ENVELOPE = _CERTAIN | {"to", "round", "action", "task", "group", "person"}
_HEADINGS = frozenset(  # a seat of such a name must not turn a section of an answer into a voice
    {
        "position",
        "summary",
        "analysis",
        "risk",
        "risks",
        "evidence",
        "recommendation",
        "answer",
        "conclusion",
        "critique",
    }
)
_LEADERS = frozenset({"moderator", "synthesizer"})  # nobody answers as them; a heading may still be called so
_ECHO_CHARS = 60  # a shorter text is an echo only when it is the whole prompt
_LONGEST_NAME = 40


def clean_envelope(text: str) -> str:
    """`text` without the envelope lines it begins with, such as `From: …`.

    A lone `Task:` or `Action:` line may be an answer and stays; two such lines, or `From:` or `Subject:`, are an envelope.
    """
    lines = text.lstrip("\n").split("\n")
    names = []
    for line in lines:
        name = _field(line)
        if not name and line.strip():
            break
        names.append(name)
    found = [name for name in names if name]
    if len(found) < 2 and not _CERTAIN.intersection(found):
        return text
    return "\n".join(lines[len(names) :])


def problem(text: str, prompt: str, others: Iterable[tuple[str, str, str]]) -> str | None:
    """Why `text` is no answer of this seat, in a few words; None when it is usable.

    Args:
        text: the reply, without its envelope.
        prompt: what the seat was given: its request, or the whole prompt.
        others: (slug, name, role) of the table's other seats. Mentioning or quoting them is fine.
    """
    said = " ".join(text.split())
    if not said:
        return "empty"
    if _echoes(said, " ".join(prompt.split())):
        return "an echo of the prompt"
    return _foreign_voice(text, others)


def _field(line: str) -> str:
    """The name of an envelope line, else ''."""
    name, colon, value = line.strip("*_ \t\r").partition(":")
    name = name.strip("*_ ").lower()
    return name if colon and value.strip("*_ \t\r") and name in _ENVELOPE else ""


def _echoes(said: str, prompt: str) -> bool:
    if not prompt:
        return False
    if said == prompt:
        return True
    if len(said) >= _ECHO_CHARS and said in prompt and len(said) * 2 >= len(prompt):
        return True
    return len(prompt) >= _ECHO_CHARS and prompt in said and len(prompt) * 5 >= len(said) * 4


def _foreign_voice(text: str, others: Iterable[tuple[str, str, str]]) -> str | None:
    voices = _voices(others)
    first, hits, speaker = True, 0, ""
    fenced = False
    for line in text.split("\n"):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
        if not bare or fenced or bare.startswith(">"):
            continue
        if found := _speaker(bare, voices):
            speaker = speaker or found
            hits += 1
            if first or hits > 1:
                return f"it speaks as {speaker}"
        first = False
    return None


def _voices(others: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """What a label may say, in small letters → the seat's slug."""
    found: dict[str, str] = {}
    for slug, name, role in others:
        for label in (slug, f"participant/{slug}", name, role):
            word = label.strip().lower()
            if word and len(word) <= _LONGEST_NAME and word not in _HEADINGS:
                found.setdefault(word, slug)
    return found


def _speaker(line: str, voices: dict[str, str]) -> str:
    """The slug when `line` is a label of another seat, or of who leads: `**Skeptic:** …`, `participant/skeptic: …`, `### Skeptic`."""
    text = line.lstrip("#")
    heading = text != line and text.startswith(" ")
    if line.startswith(("- ", "* ", "+ ")):
        return ""
    label, colon, _ = text.partition(":")
    name = label.strip("*_`[] \t").lower()
    if colon and name in voices:
        return voices[name]
    if colon and name in _LEADERS:
        return name
    alone = heading or (text.startswith(("**", "[")) and text.endswith(("**", "]")))
    return voices.get(name, "") if alone else ""
