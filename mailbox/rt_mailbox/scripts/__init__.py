"""The server-side scripts: one .lua file each, with keys, arguments and guarantee in its head comment."""
