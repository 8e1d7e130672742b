"""Reading files into columns, in the order of the steps.

``byte_source`` finds the bytes and their format, those on the web by ``addresses``; ``encoding`` converts them to
UTF-8; ``preamble`` removes comments and lines above the table; ``sniff`` detects delimiter, decimal sign and header;
``header`` names the columns; ``cells`` parses the rows; ``text_layout`` counts quoted and empty cells; ``long_fields``
lifts a limit of the csv module; ``delimited`` leads through these steps; ``string_columns`` converts strings to typed
columns; ``missing_markers`` lists the markers of missing values. ``formats`` reads files that store types, ``sqlite``
databases, ``excel`` sheets. The public function is ``probus.read``.
"""

from probus.data.reading._addresses import address_of
