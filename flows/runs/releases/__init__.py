"""What a release covers, and whether it still does."""
