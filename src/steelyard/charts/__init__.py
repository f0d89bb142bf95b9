"""How it is drawn: a chart is data, marks over two scales, and each renderer draws every mark."""
