"""docs/errors.md against the error classes."""

from __future__ import annotations

from tests import errors_doc


def test_the_page_has_every_error_code() -> None:
    """Each class with its code, exit code, meaning and fix, as the code has them now (`python -m tests.errors_doc`)."""
    assert errors_doc.PAGE.read_text(encoding="utf-8") == errors_doc.page()
