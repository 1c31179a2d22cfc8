"""What the pages for visitors are made of: rows, figures and drawings, from one `Shown`; no request, no template."""
