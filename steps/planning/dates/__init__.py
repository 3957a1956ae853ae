"""The dates of a plan: what its activities wait for, when orders are placed, and which days are critical."""
