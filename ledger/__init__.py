"""What happened: events, projections, policies and evidence. Only `ledger.services` write."""
