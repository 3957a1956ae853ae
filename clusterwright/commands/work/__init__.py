"""Do the work."""
