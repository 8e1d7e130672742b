"""How a file becomes columns, in the order the bytes travel.

``source`` finds the bytes and their format; ``encoding`` makes them UTF-8; ``sniff`` finds delimiter, decimal sign and
header; ``header`` names the columns; ``layout`` surveys every cell for quotes and gaps; ``delimited`` parses the text;
``cells`` turns strings into typed columns; ``missing`` says what counts as no value. ``formats`` reads files that carry
their types, ``sqlite`` databases. The entry is ``probus.read``.
"""
