"""Errors of messages, groups and leases: refused, nothing stored."""

from __future__ import annotations

from rt_config.errors._base import RoundtableError


class MailboxError(RoundtableError):
    """The mailbox refused; nothing was stored or changed."""

    error_code = "mailbox_error"


class UnknownGroupError(MailboxError):
    """No group of that name."""

    error_code = "unknown_group"
    message = "there is no group {group}."
    hint = "rt group create {group}"


class UnknownPersonError(MailboxError):
    """Nobody of that name was ever in the group."""

    error_code = "unknown_person"
    message = "{person} was never in {group}."
    hint = "rt group add-member {group} {person}"


class UnknownMessageError(MailboxError):
    """No message of that number or id."""

    error_code = "unknown_message"
    message = "{message_id} does not exist; this record ends at m{head}."


class UnknownAddressError(MailboxError):
    """A send that must not create an address, to one that nobody uses."""

    error_code = "unknown_address"
    message = "nobody uses the address {address}."


class NotAMemberError(MailboxError):
    """The person has left, or never joined."""

    error_code = "not_a_member"
    message = "{person} is not a member of {group}."
    hint = "rt group add-member {group} {person}"


class GroupExistsError(MailboxError):
    """A second create."""

    error_code = "group_exists"
    message = "the group {group} exists already."


class AlreadyMemberError(MailboxError):
    """A second join."""

    error_code = "already_member"
    message = "{person} is already a member of {group}."


class GroupClosedError(MailboxError):
    """The group is read-only."""

    error_code = "group_closed"
    message = "the group {group} is closed."


class EmptyBodyError(MailboxError):
    """A body without text."""

    error_code = "empty_body"
    message = "the body is empty; nothing was stored."
    hint = "give it with -m TEXT, --file FILE or --file -"


class BodyTooLargeError(MailboxError):
    """A body over the limit."""

    error_code = "body_too_large"
    message = "the body has {size} bytes, the limit is {limit}; nothing was stored."
    hint = "put it in a file and post its path, or raise max_body_bytes"


class IdempotencyConflictError(MailboxError):
    """The same key with another body."""

    error_code = "idempotency_conflict"
    message = "the key {key!r} was used for m{seq} with another body; nothing was stored."


class LeaseLostError(MailboxError):
    """The lease is not (or no longer) this holder's."""

    error_code = "lease_lost"
    message = "the lease on {message_id} is not yours (state: {state})."
    hint = "receive it again"
