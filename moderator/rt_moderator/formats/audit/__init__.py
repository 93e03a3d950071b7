"""Audits: panel, pingpong and roles. Seats hold findings against a target until they agree, deadlock or run out of rounds."""
