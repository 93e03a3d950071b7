"""The seat: a turn as the participant sees it."""
