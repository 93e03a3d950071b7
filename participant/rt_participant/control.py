"""The control message: the personal mail that asks a participant for a turn. One model renders and parses it."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from rt_config.errors import RoundtableError

ACTION = "roundtable_participant_turn"
_HEADER = {"task": "Task", "sender": "From", "to": "To", "round": "Round"}
_PLACE = {
    "group": "Group",
    "person": "Person",
    "role": "Role",
    "profile": "Tool profile",
    "command": "Tool cmd",
}
_RULES = """\
- Read what is new for `{person}` with `rt turn`, or as unread messages of the group.
- Answer in the group, nowhere else: `rt reply`, or a group send with `from_address = {person}`.
- Subject: `{subject}`.
- The body is the answer alone, without header lines; it begins at the answer, usually `## Position`.
- Do not speak to the user; the moderator does, and translates.
- Be concise, and speak only as `{person}`."""


def subject_of(table: str, round: int | str, person: str) -> str:  # noqa: A002 (the word of the contract)
    """The subject of a turn's reply."""
    return f"roundtable: {table} r{round} {person}"


@dataclass(frozen=True, slots=True)
class ControlMessage:
    """One request for a turn. Every field but `request` is one line: other white space in it becomes a space."""

    task: str
    round: int
    group: str
    person: str
    role: str
    profile: str
    command: str
    request: str
    sender: str = "moderator"
    to: str = "participant"

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name not in ("request", "round"):
                object.__setattr__(self, one.name, " ".join(value.split()))

    @property
    def subject(self) -> str:
        """The subject of this mail and of the reply to it."""
        return subject_of(self.task, self.round, self.person)

    def render(self) -> str:
        """The body. `parse` gives an equal message back, whatever the request holds."""
        place = "\n".join(f"- {label}: {getattr(self, name)}" for name, label in _PLACE.items())
        rules = _RULES.format(person=self.person, subject=self.subject)
        return (
            f"Task: {self.task}\nAction: {ACTION}\nFrom: {self.sender}\nTo: {self.to}\nRound: {self.round}\n\n"
            f"## Roundtable\n{place}\n\n"
            f"## Moderator Request\n{_guarded(self.request)}\n\n"
            f"## Rules\n{rules}\n"
        )


def parse(text: str) -> ControlMessage:
    """The message that `render` wrote.

    Raises:
        RoundtableError: it is no control message.
    """
    head, _, rest = text.partition("\n\n## Roundtable\n")
    place, _, rest = rest.partition("\n\n## Moderator Request\n")
    values = _values(head, _HEADER, "") | _values(place, _PLACE, "- ")
    if f"\nAction: {ACTION}\n" not in head or len(values) != len(_HEADER) + len(_PLACE) or not rest:
        raise RoundtableError(reason="this is no control message of a roundtable turn")
    try:
        number = int(values.pop("round"))
    except ValueError as exc:
        raise RoundtableError(reason="the round of this control message is no number") from exc
    return ControlMessage(round=number, request=_unguarded(rest), **values)


def _values(block: str, labels: dict[str, str], bullet: str) -> dict[str, str]:
    names = {f"{bullet}{label}:": name for name, label in labels.items()}
    found = {}
    for line in block.split("\n"):
        label, colon, value = line.partition(":")
        if name := names.get(label + colon):
            found[name] = value.strip()
    return found


def _guarded(request: str) -> str:
    """The request as it stands, or inside a fence when it holds something that could be taken for our own lines."""
    plain = (
        request
        and request == request.strip()
        and "\n#" not in f"\n{request}"
        and not request.startswith("```")
    )
    if plain:
        return request
    fence = "`" * (longest_run(request) + 1)
    return f"{fence}text\n{request}\n{fence}"


def _unguarded(rest: str) -> str:
    first, _, body = rest.partition("\n")
    fence = first.removesuffix("text")
    if first.endswith("text") and len(fence) >= 3 and not fence.strip("`"):
        return body.partition(f"\n{fence}\n")[0]
    return rest.partition("\n\n## Rules\n")[0]


def longest_run(text: str) -> int:
    """How many backticks the longest run of them in `text` has, at least 2: a fence needs one more."""
    return max((len(run) for run in re.findall("`{3,}", text)), default=2)
