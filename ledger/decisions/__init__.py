"""What people and the engine decide: a verb each. Every decision asks the rules, and appends one event."""
