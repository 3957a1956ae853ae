"""A run's processes: starting them, bounding them, ending them, and removing what they leave."""
