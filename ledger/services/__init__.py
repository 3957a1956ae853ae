"""The only writers: one function a decision, used by every front end."""
