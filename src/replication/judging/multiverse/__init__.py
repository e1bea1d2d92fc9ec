"""In which share of the analyses and protocols that a paper allows each claim holds."""
