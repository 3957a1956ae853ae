"""Non-conformances: who makes them good, what is done about them, and closing them."""
