"""Goals as the studio shows them: their fields, places and values, and how new ones are made."""
