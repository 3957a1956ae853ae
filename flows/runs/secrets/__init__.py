"""How a run gets secrets, and how they are kept out of what it says."""
