"""Whether it warns early enough: scored events of customers over a period in, a quality that rewards time gained out."""
