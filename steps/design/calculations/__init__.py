"""The calculators of compute steps: what each works out from a plan, and from facts where it needs them."""
