"""What people read of a table in a browser: Markdown made safe, the parts of the page, the self-contained file."""
