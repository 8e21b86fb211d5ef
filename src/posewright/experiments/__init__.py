"""The experiments of the published methods, one file per method: each prints a table and says whether it holds."""
