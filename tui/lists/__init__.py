"""Lists of any length: columns, which rows are shown, and the widget that paints them."""
