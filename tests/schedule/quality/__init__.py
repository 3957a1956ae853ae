"""How good a schedule is."""
