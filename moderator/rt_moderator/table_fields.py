"""The fields of a table that `rt set` changes, validated. Pure, but for the caller's pane that `wake=here` records."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rt_config.errors import BadConfigError

Fields = dict[str, str]


def parse(pairs: Iterable[str]) -> tuple[Fields, dict[str, str]]:
    """KEY=VALUE words as fields of the table's hash, and as they were given.

    Raises:
        BadConfigError: no such key, or a value that it does not take; names the first one.
    """
    fields: Fields = {}
    given: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if key not in _KEYS or not equals:
            raise BadConfigError(where=pair, reason=f"write KEY=VALUE with one of {', '.join(_KEYS)}")
        fields |= _KEYS[key](key, value.strip())
        given[key] = value.strip()
    return fields, given


def _text(key: str, value: str) -> Fields:
    return {key.replace("-", "_"): value}


def _positive(key: str, value: str) -> Fields:
    number = _number(value)
    if number is None or number <= 0:
        raise BadConfigError(where=key, reason=f"{value!r} is no number above 0")
    return {key.replace("-", "_"): value}


def _budget(key: str, value: str) -> Fields:
    return _positive(key, value) if value else _text(key, value)


def _wake(key: str, value: str) -> Fields:
    from rt_deck.nudge import caller_pane

    if value == "none":
        return {"wake": "none", "wake_tmux": "", "wake_pane": ""}
    if value != "here":
        raise BadConfigError(where=key, reason=f"{value!r} is not here or none")
    pane = caller_pane()
    if pane is None:
        raise BadConfigError(where=key, reason="here means this tmux pane, and this is none")
    return {"wake": "here", "wake_tmux": pane[0], "wake_pane": pane[1]}


def _wake_on(key: str, value: str) -> Fields:
    seconds = _number(value.removeprefix("quiet:")) if value.startswith("quiet:") else None
    if value not in ("each", "all-replied") and (seconds is None or seconds <= 0):
        raise BadConfigError(where=key, reason=f"{value!r} is not each, all-replied or quiet:SECONDS")
    return {"wake_on": value}


def _access(key: str, value: str) -> Fields:
    if value not in ("read-only", "write"):
        raise BadConfigError(where=key, reason=f"{value!r} is not read-only or write")
    return {"access": value}


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if found == found and found not in (float("inf"), float("-inf")) else None  # noqa: PLR0124 (NaN)


_KEYS: dict[str, Callable[[str, str], Fields]] = {
    "goal": _text,
    "audience": _text,
    "constraint": _text,
    "stop-when": _text,
    "wake": _wake,
    "wake-on": _wake_on,
    "turn-timeout": _positive,
    "access": _access,
    "budget-min": _budget,
    "budget-usd": _budget,
}
