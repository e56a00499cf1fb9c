"""Evidence-based grading of Jupyter notebooks on top of nbgrader.

The package is split in two halves that never share a process:

* ``autograder.probe`` (with ``autograder.evidence``) runs in the student's kernel and records what
  the student's code does;
* everything else runs in the grading process, executes no student code and judges those records.
"""

__version__ = "0.1.0"
