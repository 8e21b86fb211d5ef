"""Sequential Monte Carlo: a particle filter over poses."""
