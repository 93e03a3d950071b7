"""The bus: messages, cursors, turns and queues on Redis."""
