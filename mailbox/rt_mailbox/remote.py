"""Asking servers behind TLS, sentinels or a cluster how they are, through the library's client."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from rt_config.errors import BusDownError, BusError
from rt_mailbox.client import RedisDoor
from rt_mailbox.server_facts import SHOWN, Probe


def probe(url: str) -> Probe:
    """How the servers at `url` are together: `ready` when every one is, `down` with a reason when one is.

    Raises:
        BadConfigError: a URL of no known form.
    """
    try:
        with closing(RedisDoor(url)) as door:
            found = [_parsed(text) for text in door.every("INFO", "persistence").values()]
    except BusDownError as exc:
        return Probe("down", reason=str(exc.fields["reason"]))
    except BusError as exc:
        return Probe("down", reason=str(exc))
    loading = next((info for info in found if info.get("loading") == "1"), None)
    return Probe("ready", found[0]) if loading is None else Probe("loading", loading)


def facts(url: str) -> dict[str, dict[str, str]]:
    """INFO of each server that keeps a part of the record, with what CONFIG shows of its durability; by host:port.

    Raises:
        BusDownError, BadConfigError.
    """
    with closing(RedisDoor(url)) as door:
        found = {name: _parsed(text) for name, text in door.every("INFO").items()}
        for setting in SHOWN:
            try:
                answers = door.every("CONFIG", "GET", setting)
            except BusError:
                continue  # a hosted server shows no settings
            for name, answer in answers.items():
                found[name] |= _parsed(answer)
    return found


def _parsed(answer: Any) -> dict[str, str]:
    """INFO and CONFIG GET as redis-py gives them, parsed or not, as text to text."""
    if isinstance(answer, str):
        lines = (line.partition(":") for line in answer.splitlines())
        return {name: value for name, colon, value in lines if colon}
    items = answer.items() if isinstance(answer, dict) else zip(answer[::2], answer[1::2], strict=True)
    return {str(name): str(value) for name, value in items}
