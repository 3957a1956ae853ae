"""Facts about the facility."""
