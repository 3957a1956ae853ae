"""Orders, their deliveries, and change orders."""
