"""The same plan under other assumptions: what changes, by how much, and what it costs."""
