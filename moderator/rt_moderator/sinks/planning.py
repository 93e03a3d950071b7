"""What a table has to say outside, in order, from a snapshot and its record. Pure: the same moment gives the same posts."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rt_mailbox.wire import iso
from rt_moderator import formats, status_view
from rt_moderator.words import span
from rt_participant import show

if TYPE_CHECKING:
    from rt_config.sinks import Event, Sink
    from rt_mailbox.door import Reply

_KINDS = {"reply": "reply", "late": "reply", "system": "reply", "synthesis": "synthesis", "intent": "question", "note": "question"}  # fmt: skip
_EVENTS: dict[str, Event] = {"question": "questions", "reply": "replies"}
_OVER = ("ended", "archived")
_NOTHING: dict[str, Any] = {
    "at": "", "id": "", "seq": None, "kind": "", "who": "", "role": "", "round": None, "late": False, "reason": "",
    "options": [], "command": "", "result": "", "consensus_pct": None, "agreement": None, "validated": None,
    "degraded": [], "facts": [], "said": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Post:
    """One post. `key` is its name in the journal, `text` the template's text that it uses, `values` what may stand in it."""

    key: str
    text: str
    values: Mapping[str, Any]

    @property
    def event(self) -> str:
        """What it is about, as sinks choose it."""
        return _EVENTS.get(self.text, self.text)


def planned(
    snapshot: Reply, messages: Iterable[Reply], concluded: Mapping[str, Any] | None = None
) -> list[Post]:
    """Every post that this moment calls for, whatever was sent already.

    Args:
        snapshot: of the table with all of its turns.
        messages: of its record, in order; from its beginning, or from any later one.
        concluded: {outcome, at} of a format that is over.
    """
    table = snapshot["table"]
    if table.get("state") == "starting":
        return []
    about = _about(snapshot)
    found = [_post("opening", "opening", about, kind="opening", at=_iso(table.get("created_at")))]
    found += _said(snapshot, messages, about)
    found += _waits(table, about)
    found += _end(snapshot, about, concluded)
    return found


def wanted(posts: Iterable[Post], sink: Sink) -> list[Post]:
    """Those that `sink` takes."""
    return [post for post in posts if post.event in sink.events and sink.takes(str(post.values["format"]))]


def _about(snapshot: Reply) -> dict[str, Any]:
    """What every post may say of its table."""
    table = snapshot["table"]
    return _NOTHING | {
        "table": table["id"],
        "topic": table.get("topic", ""),
        "goal": table.get("goal", ""),
        "format": table.get("format") or "open",
        "mode": table.get("mode", ""),
        "seats": [_seat(seat) for seat in snapshot["seats"]],
    }


def _seat(seat: Reply) -> dict[str, str]:
    model = seat.get("effective_model") or seat.get("requested_model") or seat.get("model", "")
    runs_on = " ".join(filter(None, (seat.get("profile", ""), model)))
    return {"slug": seat["slug"], "role": seat.get("role", ""), "runs_on": runs_on}


def _post(key: str, text: str, about: Mapping[str, Any], **values: Any) -> Post:
    return Post(key, text, {**about, "kind": text, **values})


def _said(snapshot: Reply, messages: Iterable[Reply], about: Mapping[str, Any]) -> Iterator[Post]:
    roles = {seat["slug"]: seat.get("role", "") for seat in snapshot["seats"]}
    by_hand = {turn["step"] for turn in snapshot["turns"]}
    for message in messages:
        text, name = _KINDS.get(message["kind"], ""), f"m{message['seq']}"
        if not text or (text == "question" and not _asked_by_a_person(message, by_hand)):
            continue
        who = message["turn"].partition("/")[2] or show.person(message["from"])
        yield _post(
            name, text, about, kind=message["kind"], id=name, seq=message["seq"], who=who, role=roles.get(who, ""),
            round=message["round"], late=message["kind"] == "late", said=message["body"], at=iso(message["sent_at"]),
        )  # fmt: skip


def _asked_by_a_person(message: Reply, steps: set[str]) -> bool:
    """A question of `say`, or a note. The first message is the topic, which the opening says; a format's are its own affair."""
    if message["seq"] == 1:
        return False
    return message["kind"] == "note" or f"m{message['seq']}" in steps


def _waits(table: Reply, about: Mapping[str, Any]) -> Iterator[Post]:
    """What a person is waited for."""
    if table.get("state") in _OVER:
        return
    place = f"-t {shlex.quote(table['id'])}"
    if table.get("gate"):
        options = formats.offered(table)
        yield _post(
            f"gate/{table['gate']}", "gate", about, reason=str(table.get("gate_reason", "")).replace("_", " "),
            said=table.get("gate_details", ""), options=options, command=f"rt decide {'|'.join(options)} {place}",
        )  # fmt: skip
    elif table.get("phase") == "awaiting_synthesis" and table.get("asks"):
        yield _post(
            f"asks/m{table.get('synthesis') or 0}", "gate", about, reason=table["asks"], command=f"rt synthesis --file FILE {place}",
        )  # fmt: skip


def _end(snapshot: Reply, about: Mapping[str, Any], concluded: Mapping[str, Any] | None) -> Iterator[Post]:
    table = snapshot["table"]
    whole = f"everything: rt transcript -t {table['id']}"
    if concluded is not None:
        outcome = concluded["outcome"]
        result = str(outcome["result"] or outcome["status"]).replace("_", " ")
        yield _post(
            "concluded", "concluded", about, result=result, consensus_pct=outcome["consensus_pct"],
            agreement=outcome["agreement"], validated=outcome["validated"], said=outcome["synthesis"],
            degraded=[*status_view.degraded(snapshot), *outcome["degraded"]], reason=outcome["stop_reason"],
            facts=[*_facts(outcome, int(concluded["at"]) - int(table.get("created_at") or concluded["at"])), whole],
            at=iso(int(concluded["at"])),
        )  # fmt: skip
    elif table.get("state") in _OVER:
        met = {"yes": "met", "no": "not met"}.get(table.get("stop_met", ""), "not stated whether it is met")
        stop = [f"stop when: {table['stop_when']} ({met})"] if table.get("stop_when") else []
        yield _post(
            "concluded", "concluded", about, result="ended", facts=[*stop, whole], degraded=status_view.degraded(snapshot),
            at=_iso(table.get("ended_at")),
        )  # fmt: skip


def _facts(outcome: Mapping[str, Any], ms: int) -> Sequence[str]:
    score = outcome["consensus_pct"]
    agreement = outcome["agreement"]
    lines = [
        f"consensus {score:.0f} %" if score is not None else "",
        f"agreement {agreement:.0f} %" if agreement is not None else "",
        f"validated: {outcome['validated']}" if outcome["validated"] else "",
        f"rounds: {outcome['rounds']}" if outcome["rounds"] else "",
        f"stopped because: {outcome['stop_reason']}" if outcome["stop_reason"] else "",
        f"time: {span(ms / 1000)}",
    ]
    return [line for line in lines if line]


def _iso(ms: str | None) -> str:
    return iso(int(ms)) if ms else ""
