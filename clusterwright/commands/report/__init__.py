"""Report to others."""
