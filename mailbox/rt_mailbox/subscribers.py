"""Subscribers of a group: a notify address that is told while a person has unread messages. A send costs the same with them."""

from __future__ import annotations

from rt_config import env
from rt_config.errors import UnknownGroupError
from rt_mailbox.door import mapping
from rt_mailbox.keys import key
from rt_mailbox.queues import personal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rt_mailbox.door import Door


def add(
    door: Door, space: str, group: str, address: str, person: str, *, home: str = env.DEFAULT_SPACE
) -> bool:
    """Tell `address` while `person` has unread messages in `group`; False when it is told already.

    Guarantees: what is unread already is noticed at once, nothing is noticed twice; safe to repeat. A send from `address`
    counts as `person`. `home` is the space in which the address is asked for mail: there it is noted where else to look.

    Raises:
        BadAddressError, UnknownGroupError, UnknownPersonError, NotAMemberError, AlreadySubscriberError (of another
        person): nothing changed.
    """
    personal(address)
    if space != home:  # first, so that no subscription is ever without it
        door.script("space_of_address", home, address, space, "add")
    return not door.script("subscribe", space, group, address, person)["existed"]


def remove(door: Door, space: str, group: str, address: str, *, home: str = env.DEFAULT_SPACE) -> None:
    """End a subscription; a notice that is leased is leased no more.

    Raises:
        UnknownGroupError, UnknownSubscriberError.
    """
    left = door.script("unsubscribe", space, group, address)["left"]
    if space != home and not left:
        door.script("space_of_address", home, address, space, "remove")


def of(door: Door, space: str, group: str) -> dict[str, str]:
    """Notify address → person, by address.

    Raises:
        UnknownGroupError.
    """
    if not door.command("EXISTS", key(space, "group", group)):
        raise UnknownGroupError(group=group)
    return dict(sorted(mapping(door.command("HGETALL", key(space, "subscribers", group))).items()))
