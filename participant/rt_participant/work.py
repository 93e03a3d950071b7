"""One attempt of a turn: the prompt, the call, the judgement, the reply. Loaded when there is a turn to take."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rt_config import env, packed_spec
from rt_config.errors import BusError, MailboxError
from rt_mailbox import groups, tables, turns
from rt_mailbox.door import mapping
from rt_mailbox.keys import key
from rt_participant import headless, launch, prompt, usable, visible
from rt_participant.control import subject_of

if TYPE_CHECKING:
    from rt_mailbox.door import Reply
    from rt_participant.duty import Duty
    from rt_participant.results import Result

_AFTER_DEADLINE_SECONDS = (
    1.0  # the host closes the turn at its deadline; this call ends by itself when there is no host
)
_ARGUMENT_CHARS = 20_000  # of quoted bodies, for a CLI that takes the prompt as an argument
_DETAIL_CHARS = 2000


class Attempt:
    """One try of a turn that `turns.show` has given."""

    def __init__(self, duty: Duty, turn: Reply) -> None:
        self._duty, self._turn = duty, turn
        self._door, self._space, self._slug = duty.door, duty.space, duty.slug
        self._seat = mapping(self._door.command("HGETALL", key(self._space, "seat", self._slug)))
        self._spec: dict[str, Any] = packed_spec.unpacked(self._seat["spec"])
        self._ends = time.monotonic() + float(turn["seconds_left"]) + _AFTER_DEADLINE_SECONDS
        self._prompt = ""
        self._session = ""

    def make(self) -> int:
        """Make it; returns an exit status when this process was told to stop, else 0. All else is on the bus."""
        turn = self._turn
        self._duty.pane.status(f"turn {turn['turn']}, attempt {turn['attempt']}, round {turn['round']}")
        fresh = self._must_be_fresh()
        result = self._called(fresh)
        if not fresh and result.reason and not (result.stop or result.auth):
            self._note("resume_failed", reason=result.reason)
            self._duty.pane.status(
                f"the session could not be resumed ({result.reason}); a fresh one gets the record"
            )
            result = self._called(fresh=True)
        if self._spec["output"]["format"] == "json" and result.answer.text:
            self._duty.pane.show(result.answer.text)  # it was silent until now
        self._duty.pane.end()
        if result.stop == "interrupted":
            return 128 + 15
        if result.stop == "cancelled" or (result.reason and self._over()):
            self._duty.pane.status(f"turn {turn['turn']}: no longer wanted")
        elif result.reason:
            self._failed(result.reason, result.detail)
        else:
            self._answered(result)
        return 0

    def _must_be_fresh(self) -> bool:
        """Whether the CLI's session, if there is one, does not count: a rebuild, or one that never answered."""
        rebuilt = self._turn["rebuild"] == "1" or self._seat.get("fresh") == "1"
        return self._spec["session"] == "none" or rebuilt or self._seat.get("native_ready") != "1"

    def _called(self, fresh: bool) -> Result:
        if self._spec["transport"] == "acp":
            return self._prompted(fresh)
        self._end_live()
        self._session = self._chosen_session(fresh)
        most = _ARGUMENT_CHARS if self._spec["prompt"] == "argument" else prompt.MOST_CHARS
        self._prompt = self._built(fresh, most)
        self._note("prompt", prompt=self._prompt, session=self._session, fresh="1" if fresh else "0")
        mark = launch.mark_of(self._duty.home, self._duty.table, self._slug)
        with TemporaryDirectory(prefix="rt-turn-", ignore_cleanup_errors=True) as folder:
            call = launch.prepare(
                self._spec, self._prompt, self._session, resume=not fresh, mark=mark, folder=Path(folder)
            )
            return headless.run(self._spec, call, self._seconds_left, self._duty.pane.show)

    def _prompted(self, fresh: bool) -> Result:
        """One prompt in the live session, which is opened first when there is none that fits."""
        from rt_participant.acp_session import LiveSession

        known = "" if fresh else self._seat["native_session"]
        live = self._duty.live
        if live is None or fresh or (live.session, live.spec) != (known, self._spec):
            self._end_live()
            mark = launch.mark_of(self._duty.home, self._duty.table, self._slug)
            live = self._duty.live = LiveSession(self._spec, mark, self._protected())
            if failed := live.open(known, self._seconds_left):
                return failed
        self._session = live.session
        if fresh:
            self._set(native_session=live.session, native_ready="0")
        self._prompt = self._built(fresh, prompt.MOST_CHARS)
        self._note("prompt", prompt=self._prompt, session=self._session, fresh="1" if fresh else "0")
        return live.ask(
            self._prompt,
            self._seconds_left,
            self._duty.pane.show,
            lambda kind, fields: self._note(kind, **fields),
        )

    def _built(self, fresh: bool, most: int) -> str:
        """The prompt; a seat that is fresh every turn gets the request alone, the same as every other such seat."""
        if self._seat.get("fresh") == "1":
            return prompt.bare(self._turn["request"])
        return prompt.build(self._turn, self._messages(fresh), fresh=fresh, most_chars=most)

    def _protected(self) -> list[str]:
        """Where the agent may change nothing: the table's folder, and where it works unless it was let write there."""
        folder = Path(self._duty.home or env.home()) / "tables" / self._duty.table
        return [str(folder), *([] if self._spec["access"] == "write" else [self._spec["cwd"]])]

    def _end_live(self) -> None:
        if self._duty.live is not None:
            self._duty.live.close()
            self._duty.live = None

    def _chosen_session(self, fresh: bool) -> str:
        """The native session of this call; a new one is on the bus before the CLI hears of it."""
        if not fresh:
            return str(self._seat["native_session"])
        session = str(uuid.uuid4()) if self._spec["session"] == "set" else ""
        self._set(native_session=session, native_ready="0")
        return session

    def _messages(self, fresh: bool) -> Iterator[Reply]:
        """What goes into the prompt."""
        return visible.messages(self._door, self._space, self._turn, self._seat, fresh=fresh)

    def _seconds_left(self) -> float | None:
        """For the call in progress: until the deadline by the server's clock, or None when the turn is not wanted any more.

        Runs in another thread; the raw door has no other user meanwhile. While the bus is away the last answer counts.
        """
        try:
            seen = turns.peek(self._duty.raw_door, self._space, self._slug)
        except BusError:
            return self._ends - time.monotonic()
        if self._duty.over(seen) or (seen["turn"], seen["attempt"]) != (
            self._turn["turn"],
            self._turn["attempt"],
        ):
            return None
        left = (seen["deadline_ms"] - seen["clock_ms"]) / 1000 + _AFTER_DEADLINE_SECONDS
        self._ends = time.monotonic() + left
        return float(left)

    def _over(self) -> bool:
        """Whether the call may have failed only because this seat is another runner's now, or nobody's."""
        return bool(self._duty.over(turns.peek(self._door, self._space, self._slug)))

    def _answered(self, result: Result) -> None:
        text = usable.clean_envelope(result.answer.text).strip()
        if wrong := self._unusable(text):
            self._note("unusable", reason=wrong, text=result.answer.text)
            self._failed(f"unusable: {wrong}", "")
            return
        turn = self._turn
        subject = subject_of(turn["table"], turn["round"], turn["person"])
        reply = turns.reply(
            self._door,
            self._space,
            self._slug,
            text,
            token=self._duty.token,
            turn=turn["turn"],
            subject=subject,
            attempt=str(turn["attempt"]),
        )
        self._remember(result)
        late = " (late: the turn was closed)" if reply["late"] else ""
        self._duty.pane.status(f"answered m{reply['seq']} in {result.seconds:.0f} s{late}")

    def _unusable(self, text: str) -> str:
        others = self._others()
        found = usable.problem(text, self._turn["request"], others) or usable.problem(text, self._prompt, ())
        if found:
            return found
        try:
            groups.check_body(text, self._duty.max_body_bytes or groups.MAX_BODY_BYTES)
        except MailboxError as exc:
            return str(exc)
        return ""

    def _others(self) -> list[tuple[str, str, str]]:
        slugs = self._door.command("ZRANGE", key(self._space, "seats"), 0, -1)
        found = []
        for slug in slugs:
            if slug != self._slug:
                name, role = self._door.command("HMGET", key(self._space, "seat", slug), "name", "role")
                found.append((slug, name or "", role or ""))
        return found

    def _remember(self, result: Result) -> None:
        """What the next turn needs to resume, and what the call cost."""
        fields = {
            "effective_model": result.answer.model or self._spec["model"],
            "usage": json.dumps(_added(self._seat.get("usage", ""), result)),
        }
        if self._spec["session"] != "none":
            session = result.answer.session or self._session
            fields |= {
                "native_session": session,
                "native_ready": "1" if session else "0",
                "native_turn": self._turn["turn"],
                "native_upto": str(self._turn["upto"]),
            }
        turns.spent(self._door, self._space, self._turn["turn"], json.dumps(_added("", result)))
        self._set(**fields)

    def _failed(self, reason: str, detail: str) -> None:
        turn = self._turn
        turns.attempt_failed(
            self._door,
            self._space,
            self._slug,
            turn["turn"],
            turn["attempt"],
            reason,
            detail=detail[-_DETAIL_CHARS:],
            token=self._duty.token,
        )
        self._duty.pane.status(f"turn {turn['turn']}, attempt {turn['attempt']} failed: {reason}")

    def _note(self, kind: str, **fields: str) -> None:
        place = {"seat": self._slug, "turn": self._turn["turn"], "attempt": str(self._turn["attempt"])}
        tables.note(self._door, self._space, kind, place | fields)

    def _set(self, **fields: str) -> None:
        known = {name: value for name, value in fields.items() if value or name in self._seat}
        tables.set_seat(self._door, self._space, self._slug, known)
        self._seat |= fields


def _added(before: str, result: Result) -> dict[str, Any]:
    """The seat's usage with this call's: calls, tokens by kind, and US dollars when the CLI names them."""
    total: dict[str, Any] = json.loads(before) if before else {}
    counts = {"calls": 1, **result.answer.usage}
    for name, count in counts.items():
        total[name] = total.get(name, 0) + count
    if result.answer.cost is not None:
        total["cost_usd"] = round(total.get("cost_usd", 0.0) + result.answer.cost, 6)
    return total
