"""A seat's launch spec as short text, because every seat of every table keeps one in memory.

What is blank is left out, and a long one is compressed. Imports next to nothing: runners wait with this loaded.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PACKED = "zlib:"
_LONG = 250
_BLANK: dict[str, Any] = {
    "install": "", "login": "", "model": "", "effort": "", "cwd": "", "env": {}, "pass_env": [], "auth_failure": [],
    "resume": [], "other": {},
}  # fmt: skip
_BLANK_OUTPUT: dict[str, Any] = {
    "format": "text", "answer": [], "answer_file": False, "session": [], "failed": [], "error": [], "cost": [],
    "model": [], "usage": {}, "show": [], "drop_prefixes": [], "drop_patterns": [],
}  # fmt: skip


def packed(spec: dict[str, Any]) -> str:
    """A spec of `profiles.launch_spec` as JSON, or as what `unpacked` makes it of again."""
    output = _without(spec["output"], _BLANK_OUTPUT)
    text = json.dumps(_without(spec, _BLANK) | {"output": output}, separators=(",", ":"))
    if len(text) < _LONG:
        return text
    import binascii
    import zlib

    return _PACKED + binascii.b2a_base64(zlib.compress(text.encode(), 9), newline=False).decode()


def unpacked(text: str) -> dict[str, Any]:
    """The whole spec again, from `packed` or from JSON in which nothing was left out."""
    if text.startswith(_PACKED):
        import binascii
        import zlib

        text = zlib.decompress(binascii.a2b_base64(text.removeprefix(_PACKED))).decode()
    spec: dict[str, Any] = _BLANK | json.loads(text)
    return spec | {"output": _BLANK_OUTPUT | spec.get("output", {})}


def _without(values: dict[str, Any], blank: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in blank or value != blank[name]}
