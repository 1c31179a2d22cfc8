"""Files for search engines and security researchers: robots.txt, site maps and security.txt."""
