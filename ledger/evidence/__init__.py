"""Evidence: files are checked, stored under their digests, and read back. People's names are stored beside it."""
