"""The transcript in README.md: run again, compared, rewritten. `python -m tests.readme` rewrites it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

from tests.helpers import BIN

README = Path(__file__).parent.parent / "README.md"
COMMANDS = (
    (
        'rt start "Should a team of four adopt a monorepo?" --seat builder=rehearsal --seat skeptic=rehearsal'
        ' --stop-when "one option we would defend"'
    ),
    "rt wait --for all --timeout 60",
    "rt drain",
    'rt say "What would change your mind?" --to skeptic',
    "rt wait --for all --timeout 60",
    "rt drain",
    'rt synthesis -m "Both want it small first: m2, m3. What would change a mind is in m5."',
    "rt status",
    "rt end --stop-met yes",
    "rt archive",
    "rt bus stop",
)
_BLOCK = re.compile(r"(<!-- transcript -->\n)(.*?)(<!-- /transcript -->)", re.DOTALL)
_MASKS = (
    (re.compile(r"rt-\d{8}-\d{4}-"), "rt-00000000-0000-"),
    (re.compile(r"\bm[0-9]+\b"), "m#"),
    (re.compile(r"\b\d+ (s|min)\b"), "# s"),
    (re.compile(r"pid \d+"), "pid #"),
    (re.compile(r"transcript: \S+/tables/"), "transcript: …/tables/"),
)


def written() -> str:
    """What README.md shows now."""
    found = _BLOCK.search(README.read_text(encoding="utf-8"))
    assert found, "README.md has no transcript block"
    return found[2]


def run(env: dict[str, str]) -> str:
    """A run of the commands: each with what it printed, errors included, as a terminal shows it."""
    shown = []
    for line in COMMANDS:
        argv = shlex.split(line)
        done = subprocess.run(
            [BIN / argv[0], *argv[1:]],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, text=True, check=False, timeout=90,
        )  # fmt: skip
        shown.append(f"$ {line}\n{done.stdout.rstrip()}\n")
    text = "\n".join(shown).replace(env["RT_HOME"], "~/.local/state/roundtable")
    return f"```console\n{text}```\n"


def masked(text: str) -> list[list[str]]:
    """The transcript without what differs from run to run: ids, times, the order of answers given in parallel."""
    for pattern, instead in _MASKS:
        text = pattern.sub(instead, text)
    return [[block.split("\n", 1)[0], *sorted(_words(block))] for block in text.split("$ rt ")]


def _words(block: str) -> list[str]:
    return [" ".join(line.split()) for line in block.split("\n")[1:]]


def main() -> None:
    """Rewrite the block in README.md."""
    with tempfile.TemporaryDirectory(prefix="rt-readme-", dir="/tmp") as folder:
        config = Path(folder, "config.toml")
        config.write_text('default_profile = "rehearsal"\n', encoding="utf-8")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("RT_", "TMUX"))}
        env = clean | {"RT_HOME": str(Path(folder, "home")), "RT_CONFIG": str(config), "TZ": "UTC"}
        text = run(env)
    readme = README.read_text(encoding="utf-8")
    README.write_text(_BLOCK.sub(lambda found: found[1] + text + found[3], readme), encoding="utf-8")


if __name__ == "__main__":
    main()
