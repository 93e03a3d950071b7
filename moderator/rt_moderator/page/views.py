"""The parts of a table's page, as its templates want them. Pure, but for whether a local host's process lives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rt_mailbox.wire import iso
from rt_moderator import formats, status_view, usage_view
from rt_moderator.page import markup
from rt_moderator.page.markup import Href, words
from rt_moderator.words import span
from rt_participant import show

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_moderator.page.index import Index

View = dict[str, Any]
Read = Callable[[int], "Reply | None"]
HUES = 8
MOST_PARTINGS = 12
MOST_SYNTHESES = 10
_CLOSED = ("ended", "archived", "done", "failed")
_SIDES = 4  # messages beside each other


@dataclass(frozen=True, slots=True)
class Around:
    """What an article needs to know of its table."""

    table: str
    seats: dict[str, Reply]
    hues: dict[str, int]
    asked: dict[int, list[str]]
    round_of: Callable[[int], int]

    @classmethod
    def of(cls, snapshot: Reply, index: Index) -> Around:
        """Of a snapshot; whom an intent asked is known as far as its turns are in there."""
        asked: dict[int, list[str]] = {}
        for turn in snapshot["turns"]:
            asked.setdefault(int(turn.get("upto") or 0), []).append(turn["seat"])
        seats = {seat["slug"]: seat for seat in snapshot["seats"]}
        hues = {slug: at % HUES + 1 for at, slug in enumerate(seats)}
        return cls(snapshot["table"]["id"], seats, hues, asked, index.round_of)


def article(message: Reply, around: Around, href: Href, most: int = 0) -> View:
    """One message. A body over `most` characters (0: no bound) is cut, and `left` says by how much."""
    seq, kind, body = message["seq"], message["kind"], message["body"]
    slug = message["turn"].partition("/")[2] or show.person(message["from"])
    seat = around.seats.get(slug, {})
    own = kind in ("reply", "late") or (kind == "system" and bool(message["turn"]))
    cut = body[:most] if most and len(body) > most else body
    return {
        "seq": seq,
        "kind": kind if kind in _KINDS else "note",
        "label": _KINDS.get(kind, words(kind, 30)),
        "who": words(slug if own else show.person(message["from"]), 60),
        "role": words(seat.get("role", ""), 80) if own else "",
        "hue": around.hues.get(slug, 0) if own else 0,
        "asked": around.asked.get(seq, []) if kind == "intent" else [],
        "round": max(around.round_of(seq), message["round"]),
        "of_round": message["round"] if kind == "late" else 0,
        "at": moment(message["sent_at"]),
        "html": markup.render(cut, href),
        "left": len(body) - len(cut),
    }


_KINDS = {
    "intent": "asks",
    "reply": "",
    "late": "too late to count",
    "synthesis": "synthesis",
    "note": "note",
    "system": "",
}


def moment(ms: int) -> dict[str, str]:
    """A time for people and for machines, in UTC."""
    text = iso(int(ms))
    return {"iso": text, "text": f"{text[:10]} {text[11:16]} UTC"}


def overview(snapshot: Reply, index: Index, read: Read, href: Href) -> View:
    """Everything of the page but the record: what was said first, who sits there, syntheses, where they part."""
    status = status_view.view(snapshot)
    return {
        "table": _table(snapshot["table"], status, index.last, href) | {"latest": href(index.last)},
        "degraded": [{name: words(value, 400) for name, value in one.items()} for one in status["degraded"]],
        "warnings": [words(one, 400) for one in status["warnings"]],
        "seats": _seats(snapshot),
        "total": _total(snapshot["seats"]),
        "spent": _spent(snapshot),
        "syntheses": [_synthesis(one, href) for one in reversed(index.syntheses[-MOST_SYNTHESES:])],
        "partings": _partings(index, read, snapshot, href),
    }


def _table(table: Reply, status: View, head: int, href: Href) -> View:
    named = ("goal", "audience", "constraint", "stop_when")
    waiting = status["waiting"]
    return {
        "id": table["id"],
        "topic": words(table.get("topic", ""), 400) or table["id"],
        "format": words(status["format"], 40),
        "mode": words(status["mode"] or "", 40),
        "state": words(status["state"].replace("_", " "), 40),
        "waiting": words(waiting["reason"] or "", 200),
        "gate": _gate(table, href) if waiting["for"] == "gate" else None,
        "round": status["round"],
        "head": head,
        "open": table.get("state") not in _CLOSED,
        "running": formats.runs(table),
        "result": words(status["result"] or "", 400),
        "stop_reason": words(status["stop_reason"] or "", 400),
        "facts": [(name.replace("_", " "), words(table[name], 600)) for name in named if table.get(name)],
        "stop_met": {"yes": "met", "no": "not met"}.get(table.get("stop_met", ""), ""),
        "created": moment(int(table["created_at"])) if table.get("created_at") else None,
        "ended": moment(int(table["ended_at"])) if table.get("ended_at") else None,
    }


def _gate(table: Reply, href: Href) -> View:
    """What is decided here: why, the details, and the choices as the format offers them."""
    return {
        "reason": words(table.get("gate_reason", "").replace("_", " "), 200),
        "details": markup.render(table.get("gate_details", ""), href, 3),
        "buttons": [words(one, 30) for one in formats.offered(table)],
    }


def _seats(snapshot: Reply) -> list[View]:
    clock = int(snapshot["clock_ms"])
    current = {turn["seat"]: turn for turn in reversed(status_view.open_turns(snapshot))}
    return [
        _seat(seat, at % HUES + 1, current.get(seat["slug"]), snapshot, clock)
        for at, seat in enumerate(snapshot["seats"])
    ]


def _seat(seat: Reply, hue: int, turn: Reply | None, snapshot: Reply, clock: int) -> View:
    state = seat["state"]
    left = status_view.seconds_left(snapshot, turn["id"]) if turn else 0
    took = _took(usage_view.times([one for one in snapshot["turns"] if one["seat"] == seat["slug"]], clock))
    model = seat.get("effective_model") or seat.get("requested_model") or seat.get("model", "")
    runs = (seat.get("profile", ""), model, seat.get("transport", ""))
    return {
        "slug": words(seat["slug"], 40),
        "hue": hue,
        "role": words(seat.get("role", ""), 80),
        "viewpoint": words(seat.get("viewpoint", ""), 200),
        "state": "answering" if turn and state in ("idle", "busy") else words(state, 40),
        "bad": state in ("failed", "dropped", "blocked"),
        "reason": words(seat.get("reason", ""), 200),
        "left": round(left) if turn else None,
        "left_text": span(left) if turn else "",
        "runs": " · ".join(words(one, 60) for one in runs if one),
        "told": " · ".join(
            filter(None, (took, _usage(_counts(seat)), f"turn {words(turn['id'], 80)}" if turn else ""))
        ),
    }


def _took(times: Mapping[str, Any]) -> str:
    """How long seats answered, and how long questions waited for them."""
    words_of = (("answering_seconds", "answered for"), ("waiting_seconds", "waited"))
    return " · ".join(f"{word} {span(times[name])}" for name, word in words_of if times[name] >= 1)


def _spent(snapshot: Reply) -> list[View]:
    """Each round with the time it took by the wall, and what its answers cost as far as their CLIs say."""
    rounds = usage_view.usage_view(snapshot, {})["rounds"]
    return [
        {
            "round": one["round"],
            "told": " · ".join(filter(None, (span(one["seconds"]), _took(one), _usage(one)))),
        }
        for one in rounds
    ]


def _counts(seat: Reply) -> Mapping[str, Any]:
    try:
        found = json.loads(seat.get("usage") or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _usage(counts: Mapping[str, Any]) -> str:
    tokens = sum(int(counts.get(name) or 0) for name in ("input", "output"))
    cost = float(counts.get("cost_usd") or 0)
    said = [f"{tokens:,} tokens" if tokens else "", f"${cost:.2f}" if cost else ""]
    return " · ".join(filter(None, said))


def _total(seats: Sequence[Reply]) -> str:
    total: dict[str, float] = {}
    for seat in seats:
        for name in ("input", "output", "cost_usd"):
            total[name] = total.get(name, 0) + float(_counts(seat).get(name) or 0)
    return _usage(total)


def _synthesis(message: Reply, href: Href) -> View:
    return {
        "seq": message["seq"],
        "who": words(show.person(message["from"]), 60),
        "round": message["round"],
        "target": href(message["seq"]),
        "at": moment(message["sent_at"]),
        "html": markup.render(message["body"], href, 3),
    }


def _partings(index: Index, read: Read, snapshot: Reply, href: Href) -> list[View]:
    around = Around.of(snapshot, index)
    found = index.partings()[-MOST_PARTINGS:]
    return [
        {
            "point": words(one.point.replace("**", ""), 200),
            "sides": list(_sides(one.seqs, read, around, href)),
        }
        for one in found
    ]


def _sides(seqs: Sequence[int], read: Read, around: Around, href: Href) -> Iterable[View]:
    for seq in seqs[-_SIDES:]:
        message = read(seq)
        if message is not None:
            who = show.person(message["from"])
            yield {
                "seq": seq,
                "who": words(who, 60),
                "hue": around.hues.get(who, 0),
                "target": href(seq),
                "gist": markup.gist(message["body"], href),
            }
