"""What we ran: trains models under a design, keeps the summaries, resumes."""
