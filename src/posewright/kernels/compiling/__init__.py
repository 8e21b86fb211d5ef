"""How kernels are compiled and cached."""
