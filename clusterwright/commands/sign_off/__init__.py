"""Sign off."""
