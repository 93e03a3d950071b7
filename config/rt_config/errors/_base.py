"""The root of the error tree. Imports nothing but typing-free Python, because the hot door loads it."""

from __future__ import annotations


class RoundtableError(Exception):
    """The root. `message` and `hint` are templates over the keyword fields, which stay readable as attributes."""

    error_code = "error"
    exit_code = 1
    message = "{reason}"
    hint = ""

    def __init__(self, **fields: object) -> None:
        self.fields = fields
        super().__init__(self.message.format_map(_Fields(fields)))

    def __getattr__(self, name: str) -> object:
        """Read a field given to the constructor.

        Raises:
            AttributeError: no such field.
        """
        fields: dict[str, object] = self.__dict__.get("fields", {})
        if name in fields:
            return fields[name]
        raise AttributeError(name)

    @property
    def advice(self) -> str:
        """The hint with its fields filled in; empty when there is nothing useful to say."""
        return self.hint.format_map(_Fields(self.fields))


class _Fields(dict[str, object]):
    """Fields for a template; a missing one reads as a question mark, so that an error never hides behind another."""

    def __missing__(self, key: str) -> str:
        return "?"
