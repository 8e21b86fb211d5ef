"""Hot loops in Numba: plain arrays in, plain arrays out. Nothing here knows a figure, a file or an error."""
