"""Tables: delimited text, and the parts that workbooks share with it."""
