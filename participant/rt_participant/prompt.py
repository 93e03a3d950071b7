"""The prompt of one attempt: who is asked, what was said, what the moderator wants. Others' words are quoted material."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

import rt_config
from rt_participant import cleaning
from rt_participant.control import longest_run

MOST_CHARS = 60_000  # of quoted bodies; older ones are left out before newer ones are cut
_TEMPLATE, _ROLE = "seat_turn.md", "seat_tui.md"


def build(
    turn: dict[str, Any], messages: Iterable[dict[str, Any]], *, fresh: bool, most_chars: int = MOST_CHARS
) -> str:
    """The prompt for `turn`, as `rt_mailbox.turns.show` gave it.

    Args:
        turn: person, name, role, viewpoint, topic, round, request and upto count.
        messages: what is quoted, oldest first: the whole visible record when `fresh`, else what this session lacks.
        fresh: whether the session that gets it knows nothing yet.
        most_chars: the bound for all quoted bodies together; the newest are kept.

    Guarantees: no control characters; no quoted text can end its fence.
    """
    wanted = [one for one in messages if not _is_request(one, turn)]
    kept, cut = _newest(wanted, most_chars)
    text = _template(_TEMPLATE).render(
        name=line(turn["name"]),
        person=line(turn["person"]),
        role=line(turn["role"]),
        viewpoint=line(turn["viewpoint"]),
        topic=line(turn["topic"]),
        round=turn["round"],
        request=cleaning.plain(turn["request"]).strip(),
        fresh=fresh,
        left_out=_left_out(wanted[: len(wanted) - len(kept)]),
        messages=[_quoted(one, cut if one is kept[0] else 0) for one in kept],
    )
    return text.strip() + "\n"


def bare(request: str) -> str:
    """The request and nothing else, not even who reads it; no control characters."""
    return cleaning.plain(request).strip() + "\n"


def role(seat: Mapping[str, str], topic: str) -> str:
    """What a seat with a screen of its own is told once: who it is, and how it is asked. No control characters."""
    text = _template(_ROLE).render(
        name=line(seat.get("name") or seat["slug"]),
        person=line(seat["person"]),
        role=line(seat.get("role", "")),
        viewpoint=line(seat.get("viewpoint", "")),
        topic=line(topic),
    )
    return text.strip() + "\n"


def _is_request(message: dict[str, Any], turn: dict[str, Any]) -> bool:
    """Whether it is the intent that stands below as the request, word for word."""
    return bool(message["seq"] == turn["upto"] and message["body"].strip() == turn["request"].strip())


def _newest(messages: list[dict[str, Any]], most_chars: int) -> tuple[list[dict[str, Any]], int]:
    """The newest messages within the bound, and at how many characters the oldest of them is cut (0: nowhere)."""
    left = most_chars
    for at in range(len(messages) - 1, -1, -1):
        left -= len(messages[at]["body"])
        if left < 0:
            only = at == len(messages) - 1
            return (messages[at:], most_chars) if only else (messages[at + 1 :], 0)
    return messages, 0


def _left_out(messages: list[dict[str, Any]]) -> str:
    if not messages:
        return ""
    first, last = messages[0]["seq"], messages[-1]["seq"]
    return f"m{first} is" if first == last else f"{len(messages)} messages, m{first} to m{last}, are"


def _quoted(message: dict[str, Any], cut: int) -> dict[str, str]:
    body = cleaning.plain(message["body"]).strip("\n")
    if cut and len(body) > cut:
        body = f"{body[:cut]}\n[… {len(body) - cut} more characters are left out]"
    label = f"m{message['seq']} · {line(message['from'])} · {message['kind']} · round {message['round']}"
    return {"label": label, "fence": "`" * (longest_run(body) + 1), "body": body}


def line(text: str) -> str:
    """`text` as one line, without control characters."""
    return " ".join(cleaning.plain(text).split())


@cache
def _template(name: str) -> jinja2.Template:
    return environment(Path(rt_config.__file__).with_name("prompts")).get_template(name)


def environment(folder: Path) -> jinja2.Environment:
    """Where prompts come from: templates in which a blank that is not filled is an error."""
    return jinja2.Environment(  # noqa: S701 (a prompt is text, not HTML)
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
