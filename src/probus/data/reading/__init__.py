"""Reading files into columns, in the order of the steps.

``source`` finds the bytes and their format; ``encoding`` converts them to UTF-8; ``sniff`` detects delimiter, decimal
sign and header; ``header`` names the columns; ``layout`` counts quoted and empty cells; ``delimited`` parses the text;
``cells`` converts strings to typed columns; ``missing`` lists the markers of missing values. ``formats`` reads files
that store types, ``sqlite`` databases. The public function is ``probus.read``.
"""
