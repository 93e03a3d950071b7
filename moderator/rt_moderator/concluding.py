"""Synthesis, end and archive: what the moderator concludes, and how a table is closed without losing anything."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any

from rt_config.errors import (
    BadConfigError,
    NoFinalSynthesisError,
    RoundtableError,
    TableArchivedError,
    UndrainedError,
    UnknownCitationError,
)
from rt_mailbox import journal, records, tables, turns
from rt_mailbox.addresses import group_of
from rt_mailbox.groups import check_body
from rt_moderator import citations, saying, starting, transcript

if TYPE_CHECKING:
    from rt_deck.sessions import Deck
    from rt_mailbox.door import Reply
    from rt_moderator.shell import Shell

_POSTS_SECONDS = 5.0  # what sinks may take of an archive, twice at most


def synthesis(
    shell: Shell, table: str, text: str, *, final: bool = False, key: str = "", digest: Any = None
) -> dict[str, Any]:
    """Append the moderator's synthesis and raise the round: {seq, id, round, stop_condition, citations, duplicate}.

    Raises:
        UnknownCitationError: it cites a message that does not exist; nothing was posted.
        EmptyBodyError, BodyTooLargeError, TableEndedError, TableArchivedError.
    """
    check_body(text, shell.settings.max_body_bytes)
    snapshot = saying.writable(shell, table)
    missing = citations.unknown(text, snapshot["head"])
    if missing:
        raise UnknownCitationError(citations=", ".join(f"m{seq}" for seq in missing), head=snapshot["head"])
    shell.guard_disk()
    if digest is not None:  # before the text: a format that waits for the text finds both
        from rt_moderator.engine import gates

        journal.put(shell.door, table, gates.digest_of(text), digest)
    subject = f"roundtable: {table} r{snapshot['table']['round']} synthesis"
    found = tables.conclude(shell.door, table, group_of(table), text, subject=subject, final=final, key=key)
    transcript.write_for(shell.door, table)
    return {
        "seq": found["seq"], "id": f"{table}/m{found['seq']}", "round": found["round"], "citations": citations.cited(text),
        "stop_condition": snapshot["table"].get("stop_when", ""), "duplicate": bool(found["duplicate"]),
    }  # fmt: skip


def final_synthesis(shell: Shell, snapshot: Reply) -> Reply | None:
    """The latest synthesis when no reply is newer, else None."""
    table = snapshot["table"]["id"]
    seq = int(snapshot["table"].get("synthesis") or 0)
    if not seq:
        return None
    newer = records.messages(shell.door, table, group_of(table), [(seq + 1, snapshot["head"])])
    if any(message["kind"] == "reply" for message in newer):
        return None
    return records.one(shell.door, table, group_of(table), seq)


def end(shell: Shell, table: str, *, text: str | None, without: bool, stop_met: str) -> dict[str, Any]:
    """End a table: take the final synthesis, cancel what is open, stop the host; group and sessions stay (S4.24, S4.25).

    Safe to repeat: an ended table ends again with the same answer.

    Raises:
        NoFinalSynthesisError: there is none that is newer than the last reply; nothing was changed.
        UnknownCitationError, TableArchivedError.
    """
    snapshot = shell.snapshot(table)
    state = snapshot["table"]["state"]
    if state == "archived":
        raise TableArchivedError(table=table)
    if state != "ended":
        if text is not None:
            synthesis(shell, table, text, final=True, key=_final_key(snapshot, text))
            snapshot = shell.snapshot(table)
        elif not without and final_synthesis(shell, snapshot) is None:
            raise NoFinalSynthesisError(table=table)
        for turn in snapshot["turns"]:
            if turn["state"] == "open":
                turns.close(shell.door, table, turn["id"], "cancelled", "the table ended")
        fields = {
            "state": "ended",
            "ended_at": str(int(time.time() * 1000)),
            "stop_met": stop_met,
            "robin": "",
        }
        tables.set_table(shell.door, table, fields, event="ended")
    starting.mark(shell, table, "ended")
    path = transcript.write_for(shell.door, table)
    final = final_synthesis(shell, shell.snapshot(table))
    return {
        "table": table, "state": "ended", "stop_condition": snapshot["table"].get("stop_when", ""),
        "stop_met": stop_met or snapshot["table"].get("stop_met") or "not stated", "transcript": str(path),
        "synthesis": final["body"] if final else None, "synthesis_id": f"{table}/m{final['seq']}" if final else None,
    }  # fmt: skip


def _final_key(snapshot: Reply, text: str) -> str:
    """The same for an end that is run again after it was killed half way; another one when more was asked since."""
    digest = hashlib.sha1(text.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()
    return f"final-{snapshot['table'].get('opened', '0')}-{digest[:16]}"


def archive(shell: Shell, deck: Deck, table: str) -> dict[str, Any]:
    """Put an ended, drained table away: its sessions go, then their deck group; the record stays (S4.26).

    Safe to repeat.

    Raises:
        UndrainedError: replies that nobody has read; nothing was changed.
    """
    from rt_moderator import naming

    left = shell.unread(table)
    if left:
        raise UndrainedError(count=left, table=table)
    snapshot = shell.snapshot(table)
    if snapshot["table"]["state"] != "archived":
        tables.set_table(shell.door, table, {"state": "archived"}, event="archived")
    starting.mark(shell, table, "archived")
    posting = _posting(shell)
    if posting:
        _let_the_host_go(deck, naming.host_session(table))
    # The host first: it could give a seat a new session just now.
    removed = [
        *deck.remove_many([naming.host_session(table)]),
        *deck.remove_many([seat["tmux"] for seat in snapshot["seats"]]),
    ]
    deck.delete_group(snapshot["table"].get("deck_group", "") or naming.deck_group(table))
    deck.stop_server_if_empty()
    if posting:
        _post_the_rest(shell, table)
    return {
        "table": table,
        "state": "archived",
        "sessions_removed": removed,
        "record": snapshot["head"],
    }


def _posting(shell: Shell) -> bool:
    """Whether sinks are configured; a configuration that cannot be read keeps no table from being archived."""
    from rt_moderator.sinks import outlets

    try:
        return bool(outlets.sinks())
    except BadConfigError as exc:
        shell.say(f"no sinks: {exc}")
        return False


def _let_the_host_go(deck: Deck, name: str) -> None:
    """Give the host of a table that is over a moment for its last posts: one that is cut off would be in doubt."""
    end = time.monotonic() + _POSTS_SECONDS
    while time.monotonic() < end:
        there = deck.resolve(name)
        if there is None or there.state != "running":
            return
        time.sleep(0.05)  # nothing tells when a session's process ends


def _post_the_rest(shell: Shell, table: str) -> None:
    from rt_moderator.sinks import using

    try:
        found = using.send(shell, table, _POSTS_SECONDS)
    except RoundtableError as exc:
        shell.say(f"sinks: {exc}")
        return
    left = [one["name"] for one in found["sinks"] if one["due"]]
    if left:
        shell.say(f"not everything is posted to {', '.join(left)}; rt sinks send -t {table} tries again")
