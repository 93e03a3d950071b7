"""What an agent's own screen reads when it starts: its argv's words, and files in a folder of this seat alone.

The user's own files are linked where a sign-in is needed, and never written.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_PLACEHOLDER = re.compile(
    r"\{(?:(cwd|cwd_json|effort|executable|home|model|python|role|role_json|rt|rt_env_json|rt_env_names|rt_env_toml|rt_json"
    r"|session)|end:([A-Za-z_][A-Za-z0-9_]*))\}"
)
_PASSED = (
    "RT_HOME", "RT_TABLE", "RT_SEAT", "RT_TOKEN_FILE", "RT_CONFIG", "RT_SPACE", "RT_MAX_BODY_BYTES", "PATH",
)  # fmt: skip
_END = 20  # characters of a key that some CLIs keep to know it again


def values(spec: dict[str, Any], folder: Path, role: str, session: str) -> dict[str, str]:
    """Placeholder → what it stands for, in this seat's environment."""
    own = {name: os.environ[name] for name in _PASSED if os.environ.get(name)}
    rt = shutil.which("rt") or "rt"
    found = {
        "cwd": spec["cwd"], "cwd_json": _json(spec["cwd"]), "effort": spec["effort"], "executable": spec["executable"],
        "home": str(folder), "model": spec["model"], "python": sys.executable, "role": role, "role_json": _json(role),
        "rt": rt, "rt_json": _json(rt), "rt_env_json": _json(own), "rt_env_names": json.dumps(list(own)),
        "rt_env_toml": "{" + ", ".join(f"{name}={_json(value)}" for name, value in own.items()) + "}",
        "session": session,
    }  # fmt: skip
    found["executable"] = filled(spec["executable"], found)
    return found


def filled(text: str, known: dict[str, str]) -> str:
    """`text` with its placeholders replaced, in one pass: what a value holds is never read as a placeholder."""
    return _PLACEHOLDER.sub(
        lambda found: known[found[1]] if found[1] else os.environ.get(found[2], "")[-_END:], text
    )


def write(spec: dict[str, Any], folder: Path, known: dict[str, str]) -> None:
    """Have the spec's files and links below `folder`, 0600, each whole or not at all.

    A file that is there is written again: what the agent changed in it does not outlive a restart.

    Raises:
        OSError: they cannot be written.
    """
    if not spec["files"] and not spec["sign_in"]:
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    merged = (spec["sign_in"] or {}).get("merged", ())
    for name, template in spec["files"].items():
        path, text = folder / name, filled(template, known)
        if name in merged:
            text = json.dumps(_own_json(_own(spec["sign_in"]) / name) | json.loads(text))
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(
            os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
        ) as file:
            file.write(text)
        partial.replace(path)
    if spec["sign_in"]:
        _link(spec["sign_in"], folder)


def _link(sign_in: dict[str, Any], folder: Path) -> None:
    """Point at the user's sign-in, so that a token the agent renews stays the user's as well."""
    own = _own(sign_in)
    for name in sign_in["files"]:
        link, target = folder / name, own / name
        if target.is_file() and not link.exists():
            with suppress(FileNotFoundError):
                link.unlink()  # it led nowhere
            link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            link.symlink_to(target)


def _own(sign_in: dict[str, Any]) -> Path:
    """The user's own folder."""
    return Path(os.environ.get(sign_in["env"]) or sign_in["folder"]).expanduser()


def _own_json(path: Path) -> dict[str, Any]:
    """What a JSON file of the user's holds, comment lines left out; {} when it is not there or holds something else."""
    with suppress(OSError, ValueError):
        lines = path.read_text(encoding="utf-8").splitlines()
        found = json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))
        if isinstance(found, dict):
            return found
    return {}


def _json(value: object) -> str:
    """As JSON, which TOML reads as well."""
    return json.dumps(value, ensure_ascii=False)
