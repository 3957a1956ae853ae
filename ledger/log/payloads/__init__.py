"""What each kind of event says: a closed, frozen payload for each kind, in the module of its subject."""
