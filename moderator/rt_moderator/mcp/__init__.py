"""`rt mcp`: everything a moderator needs over MCP. The handlers are plain functions over the library; `server` is the protocol."""
