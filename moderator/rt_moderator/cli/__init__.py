"""The commands of `rt`: each parses, makes one library call, prints."""
