"""Networks that come as files: read whole or not at all, and each fault with its file, line and column.

What is read is a `Project`, which the engines take as it is. docs/reference/schedule.md has the formats.
"""
