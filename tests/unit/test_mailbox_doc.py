"""docs/mailbox.md promises nothing that no test holds."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "mailbox.md"
LINK = re.compile(r"`([\w/]+\.py)::(\w+)`")


def test_every_guarantee_names_a_test_that_exists() -> None:
    """Each row of its tables links at least one test, and every link leads to a test of that name."""
    text = PAGE.read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "| held by |" not in line]
    assert [row for row in rows if not LINK.search(row)] == []
    missing = [f"{file}::{name}" for file, name in LINK.findall(text) if not _exists(file, name)]
    assert missing == []


def _exists(file: str, name: str) -> bool:
    path = ROOT / "tests" / (file if "/" in file else f"integration/{file}")
    return path.is_file() and f"def {name}(" in path.read_text(encoding="utf-8")
