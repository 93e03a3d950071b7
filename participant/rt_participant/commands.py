"""The participant's commands: one act, then its print. The hot door and the moderator's CLI both end here.

Imports nothing heavy.
"""

from __future__ import annotations

import sys

from rt_config.errors import EmptyBodyError
from rt_participant import acts, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rt_participant.acts import Actor

    Options = dict[str, Any]

DONE, FAILED, NOTHING_IN_TIME = 0, 1, 3


def run(command: str, actor: Actor, options: Options) -> int:
    """Run one of turn, reply, read, post, wait; returns the exit code.

    Raises:
        RoundtableError: as the act does.
        OSError: the reader of the output went away; nothing was marked as read.
    """
    return _COMMANDS[command](actor, options)


def body_of(options: Options) -> str:
    """The text of -m TEXT, --file FILE or --file - (stdin); bytes that are not UTF-8 survive as surrogates.

    Raises:
        EmptyBodyError: neither was given. stdin is read only for `-`.
    """
    if options.get("text") is not None:
        return str(options["text"])
    name = options.get("file")
    if not name:
        raise EmptyBodyError
    if name == "-":
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    with open(name, "rb") as f:
        return f.read().decode("utf-8", "surrogateescape")


def _turn(actor: Actor, options: Options) -> int:
    found = acts.turn(actor)
    if options.get("json"):
        show.emit(show.dumps(found) + "\n")
    elif found["turn"] is None:
        show.emit("no turn is open for you.\n")
    else:
        show.emit(_turn_text(found))
    return DONE


def _turn_text(found: Options) -> str:
    head = f"Turn {found['turn']} · round {found['round']} · {show.minutes(found['seconds_left'])} left\n\n"
    said = "\n".join(show.message(m) for m in found["messages"])
    record = (
        f"\nSince you last read:\n\n{said}" if said else "\nNothing new in the group since you last read.\n"
    )
    if "left_out" in found:
        record = f"\nLeft out here because it is long: {found['left_out']} (rt show m1).\n" + record
    foot = '\nAnswer with:  rt reply --file -     Start with "## Position". Cite messages as m5. Speak only as yourself.\n'
    return head + show.plain(found["control"]).rstrip() + "\n" + record + foot


def _reply(actor: Actor, options: Options) -> int:
    found = acts.reply(actor, body_of(options), turn_id=options.get("turn") or "")
    note = "answered"
    if found["duplicate"]:
        note = (
            "was answered already, with another text; this one was not stored"
            if found.get("body_differs")
            else "was answered already"
        )
    elif found["late"]:
        note = "was closed before: stored as a late reply, which never counts"
    return _say(found, options, f"m{found['seq']}: {found['turn']} {note}.\n")


def _post(actor: Actor, options: Options) -> int:
    found = acts.post(actor, body_of(options), key=options.get("key") or "")
    return _say(
        found, options, f"m{found['seq']} posted{' before, with this key' if found['duplicate'] else ''}.\n"
    )


def _read(actor: Actor, options: Options) -> int:
    most, chars = options.get("max"), options.get("max_chars")
    reading = acts.read(actor, most=most, most_chars=chars)
    if options.get("json"):
        show.emit(show.dumps(reading.json) + "\n")
    else:
        show.emit(_reading_text(reading, actor.access.max_chars if chars is None else chars))
    if not options.get("peek"):
        reading.commit()
    return DONE


def _reading_text(reading: acts.Reading, most_chars: int) -> str:
    found = reading.json
    lost = (
        f"history_lost: {found['history_lost']} (the bus came back without them)\n\n"
        if "history_lost" in found
        else ""
    )
    if not reading.messages:
        return lost + "no updates.\n"
    left = f"\n{found['unread_left']} more unread: rt read\n" if found["unread_left"] else ""
    return lost + "\n".join(show.message(m, most_chars) for m in reading.messages) + left


def _wait(actor: Actor, options: Options) -> int:
    from rt_participant import waits

    heed = options.get("heed") or (lambda: True)
    found = waits.wait(actor, options.get("for") or "any", options.get("timeout"), heed)
    if options.get("json"):
        show.emit(show.dumps(found) + "\n")
    elif found["ready"]:
        show.emit("a turn is open: rt turn\n" if actor.token else _ready(found))
    else:
        waiting = ", ".join(found["waiting_for"]) or "nobody"
        show.emit(f"nothing came in time; still answering: {waiting}.\n")
    return DONE if found["ready"] else NOTHING_IN_TIME


def _ready(found: Options) -> str:
    """What to type next: a format that waits for a person says so first."""
    first = {
        "gate": "a decision of yours is wanted: rt status. ",
        "synthesis": "a synthesis of yours is wanted: rt status. ",
    }
    return f"ready: {first.get(found.get('needs', ''), '')}{found['unread']} unread{'. rt drain' if found['unread'] else '.'}\n"


def _say(found: Options, options: Options, text: str) -> int:
    show.emit(show.dumps(found) + "\n" if options.get("json") else text)
    return DONE


_COMMANDS = {"turn": _turn, "reply": _reply, "read": _read, "post": _post, "wait": _wait}
