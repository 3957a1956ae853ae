"""The decisions of people and of the engine, a function for each. Each one asks the rules and then records one event."""
