"""The calculators of compute steps. Each works from a plan, and some of them from facts."""
