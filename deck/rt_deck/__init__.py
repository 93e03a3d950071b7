"""The deck: agent sessions in tmux. Knows nothing of mail."""
