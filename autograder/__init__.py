"""Evidence-based grading of Jupyter notebooks on top of nbgrader.

The package is split in parts that never share a process:

* ``autograder.probe`` (with ``autograder.evidence``) runs in the student's kernel and records what
  the student's code does;
* ``autograder.bounded.desk`` reads what was handed in and judges those records, in a process with limits of
  time and memory;
* everything else runs in the grading process, which opens nothing of a student's.
"""

__version__ = "0.1.0"
