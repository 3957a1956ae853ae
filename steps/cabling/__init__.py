"""The cables as they are found, against the cables as they are drawn."""
