"""The tests: unit (pure), integration (real server, real tmux), cli (the `rt` command), agents (real CLIs), bench."""
