"""Projects that come as files."""
