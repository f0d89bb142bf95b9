"""What is set out in rows and columns: each table is data, told as text, as a frame and as JSON."""
