"""Buy and receive."""
