"""The whole buildout in simulated time, through the same flows."""
