def reason(s, c, *, chance): return ''
