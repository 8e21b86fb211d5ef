"""Goals inside kernels: residuals, rows, gradients and costs."""
