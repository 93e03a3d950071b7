# ruff: noqa: PTH118, PTH120, PTH123, PTH208 (pathlib costs the hot door some milliseconds)
"""The text of a server-side script: the key rule, the libraries it names, then the script itself."""

from __future__ import annotations

import os

from rt_mailbox.keys import LUA, LUA_SCHEMA

_FOLDER = os.path.join(os.path.dirname(__file__), "scripts")
_ANY_SCHEMA = "migrate_"
_texts: dict[tuple[str, bool], str] = {}


def text(name: str, *, shebang: bool = True) -> str:
    """The whole of script `name`.

    Servers before 7 do not know the `#!lua` line; without it full memory also refuses scripts that only move cursors.
    """
    found = _texts.get((name, shebang))
    if found is None:
        head, uses, body = _read(name + ".lua").split("\n", 2)
        libraries = "".join(_read(f"lib/{part}.lua") for part in uses.removeprefix("-- uses:").split())
        check = "" if name.startswith(_ANY_SCHEMA) else LUA_SCHEMA
        found = (head if shebang else "") + "\n" + LUA + check + libraries + body
        _texts[name, shebang] = found
    return found


def names() -> list[str]:
    """Every script there is."""
    return sorted(f.removesuffix(".lua") for f in os.listdir(_FOLDER) if f.endswith(".lua"))


def _read(path: str) -> str:
    with open(os.path.join(_FOLDER, path), encoding="utf-8") as f:
        return f.read()
