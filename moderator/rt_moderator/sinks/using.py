"""What a person does with sinks by hand: look at them, try one, send what is still due."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rt_config import sinks as configured
from rt_config.errors import RoundtableError, SinkFailedError, UnknownSinkError
from rt_moderator import hosting
from rt_moderator.sinks import outlets, planning, receivers, rendering
from rt_moderator.sinks.poster import Poster

if TYPE_CHECKING:
    from rt_config.sinks import Sink
    from rt_moderator.shell import Shell


def listed() -> list[dict[str, Any]]:
    """Every sink of config.toml, with what is wrong with it; nothing secret.

    Raises:
        BadConfigError: config.toml cannot be read.
    """
    return [_shown(sink) for sink in outlets.sinks()]


def _shown(sink: Sink) -> dict[str, Any]:
    problem, where = None, ""
    try:
        where = receivers.place(sink)
        rendering.Renderer(configured.template(sink)).texts(_sample(sink))
    except RoundtableError as exc:
        problem = str(exc)
    return {
        "name": sink.name, "type": sink.type, "template": configured.template_name(sink), "where": where,
        "events": list(sink.events), "formats": list(sink.formats), "problem": problem,
    }  # fmt: skip


def named(name: str) -> Sink:
    """One sink of config.toml.

    Raises:
        UnknownSinkError. BadConfigError.
    """
    found = {sink.name: sink for sink in outlets.sinks()}
    if name not in found:
        raise UnknownSinkError(sink=name, known=", ".join(found) or "none")
    return found[name]


def try_out(name: str) -> dict[str, Any]:
    """Send one post that says that it is a test: {sink, where, sent}.

    Raises:
        SinkFailedError: it was not taken. UnknownSinkError, BadConfigError.
    """
    sink = named(name)
    template = configured.template(sink)
    post = _sample(sink)
    renderer = rendering.Renderer(template)
    token = rendering.token(str(time.time_ns()), name, post.key, 0)
    threads: tuple[str | None, ...] = (None, "") if template.thread and sink.thread else ("",)
    answer = receivers.Answer("off")
    for thread in threads:
        request = renderer.request(post, renderer.texts(post)[0], token, thread)
        answer = receivers.deliver(sink, request)
        if template.thread is None or answer.status not in template.thread.refused:
            break
    if answer.how != "sent":
        raise SinkFailedError(sink=name, reason=answer.why or answer.how)
    return {"sink": name, "where": receivers.place(sink), "sent": True}


def _sample(sink: Sink) -> planning.Post:
    """A post of a table that does not exist."""
    about = {
        "id": "rt-test",
        "topic": f"A test of the sink {sink.name}: no table stands behind it",
        "state": "open",
    }
    return planning.planned({"table": about, "seats": [], "turns": []}, [])[0]


def send(shell: Shell, table: str, seconds: float) -> dict[str, Any]:
    """Send what is still due of a table without a host, for so many seconds: {table, host, sinks: [{name, sent, due, why}]}.

    With a host it does nothing: the host posts.
    """
    snapshot = shell.snapshot(table, 1)
    if hosting.alive(snapshot):
        return {"table": table, "host": True, "sinks": []}
    end = time.monotonic() + seconds
    return {
        "table": table,
        "host": False,
        "sinks": [_sent(shell, table, one, end) for one in outlets.sinks()],
    }


def _sent(shell: Shell, table: str, sink: Sink, end: float) -> dict[str, Any]:
    poster = Poster(shell.door, table, sink, say=shell.say)
    poster.well()
    poster.look()
    before = poster.due
    while (pause := poster.step()) is not None and time.monotonic() + pause < end:
        time.sleep(pause)
    why = poster.off or (poster.why if poster.due else "")
    return {"name": sink.name, "sent": before - poster.due, "due": poster.due, "why": why or None}
