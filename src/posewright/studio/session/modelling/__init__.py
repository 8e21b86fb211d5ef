"""Motion models that a session's clip is edited in: fitted from clips, and kept in journals."""
