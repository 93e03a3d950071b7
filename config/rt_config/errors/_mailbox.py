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


class UnknownMailError(UnknownMessageError):
    """No personal message of that id; settled ones are kept for a while only."""

    error_code = "unknown_mail"
    message = "there is no personal message {message_id}."
    hint = "rt mail list"


class UnknownSubscriberError(MailboxError):
    """The address gets no notices of that group."""

    error_code = "unknown_subscriber"
    message = "{address} is not a subscriber of {group}."
    hint = "rt group subscribers {group}"


class UnknownAddressError(MailboxError):
    """A send that must not create an address, to one that nobody uses."""

    error_code = "unknown_address"
    message = "nobody uses the address {address}."
    hint = "check the spelling; the first send without --must-exist makes it known"


class NotAMemberError(MailboxError):
    """The person has left, or never joined."""

    error_code = "not_a_member"
    message = "{person} is not a member of {group}."
    hint = "rt group add-member {group} {person}"


class GroupExistsError(MailboxError):
    """A second create."""

    error_code = "group_exists"
    message = "the group {group} exists already."
    hint = "rt group members {group}"


class AlreadyMemberError(MailboxError):
    """A second join."""

    error_code = "already_member"
    message = "{person} is already a member of {group}."
    hint = "rt group members {group}"


class AlreadySubscriberError(MailboxError):
    """The address gets the group's notices for another person."""

    error_code = "already_subscriber"
    message = "{address} is a subscriber of {group} already, for {person}."
    hint = "rt group remove-subscriber {group} {address}"


class TableGroupError(MailboxError):
    """A close or delete by hand of the group that is a table's record."""

    error_code = "table_group"
    message = "{group} is the record of the table {table}."
    hint = "rt end -t {table}, then rt archive -t {table}"


class GroupChangedError(MailboxError):
    """Somebody wrote while a delete was being confirmed; nothing was deleted."""

    error_code = "group_changed"
    message = "{group} has grown meanwhile, to m{head}; nothing was deleted."
    hint = "look at it again: rt group history {group}"


class GroupClosedError(MailboxError):
    """The group is read-only."""

    error_code = "group_closed"
    message = "the group {group} is closed."
    hint = "it can still be read: rt group history {group}"


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
    message = "the key {key!r} was used before with another body; nothing was stored."
    hint = "another key, or the same body"


class LeaseLostError(MailboxError):
    """The lease is not (or no longer) this holder's."""

    error_code = "lease_lost"
    message = "the lease on {message_id} is not yours (state: {state})."
    hint = "receive it again"


class HoldExceededError(MailboxError):
    """A lease cannot be renewed any longer; it has ended."""

    error_code = "hold_exceeded"
    message = "{message_id} was held for {seconds} s, the longest there is; its lease has ended."
    hint = "receive it again, or raise max_hold_seconds"


class NotDeadError(MailboxError):
    """A requeue of what is no dead letter."""

    error_code = "not_dead"
    message = "{message_id} is no dead letter (state: {state})."
    hint = "rt mail dead list"
