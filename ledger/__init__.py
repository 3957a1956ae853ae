"""What happened: events, rules, decisions, questions and evidence. Only decisions write."""
