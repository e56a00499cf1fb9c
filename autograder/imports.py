"""Leave out an import that takes longer than all others together; imported before them.

Where the package ``rfc3987-syntax`` is installed, which Jupyter brings along, jsonschema builds its
grammar at import: more than a second in every process that reads a notebook. It checks the string
formats "iri" and "iri-reference", which neither nbformat's schemas nor nbgrader's use. jsonschema
does without it when it is missing, and Python calls a module missing whose entry in ``sys.modules``
is None.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
