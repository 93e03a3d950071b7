"""An agent CLI nobody knows, with sessions of its own: `python fake_cli.py FOLDER start` or `… FOLDER resume SESSION`.

The prompt comes on standard input; the answer, as JSON lines, says how many prompts the session has had. While FOLDER/hold is
there it thinks: FOLDER/thinking-SEAT-N then tells that prompt N of that seat has arrived.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from pathlib import Path


def main() -> int:
    """Take one prompt; exit 1 when the session to resume does not exist."""
    folder, how, *session = sys.argv[1:]
    place = Path(folder)
    name = session[0] if how == "resume" else str(uuid.uuid4())
    file = place / f"{name}.json"
    if how == "resume" and not file.exists():
        print("no such session", file=sys.stderr)  # noqa: T201
        return 1
    prompts = [*(json.loads(file.read_text()) if file.exists() else []), sys.stdin.read()]
    _say(session=name)
    if (place / "hold").exists():
        seat = os.environ["RT_SEAT"]
        (place / f"thinking-{seat}-{len(list(place.glob(f'thinking-{seat}-*')))}").touch()
    while (place / "hold").exists():
        time.sleep(0.02)
    file.write_text(json.dumps(prompts))
    _say(answer=f"## Position\nThis session has had {len(prompts)} prompts.", tokens=len(prompts[-1]) // 4)
    return 0


def _say(**fields: object) -> None:
    print(json.dumps(fields), flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
