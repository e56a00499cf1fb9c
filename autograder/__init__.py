"""Evidence-based grading of Jupyter notebooks on top of nbgrader.

Start with `autograder.pipeline`. Each folder is one step and says where it runs:

* ``kernel`` (with ``evidence`` and ``probe``) runs in the student's process and records what the
  student's code does;
* ``lesson`` reads what the author wrote, ``submission`` what a student handed in;
* ``execution`` runs a notebook in kernels that are confined;
* ``verdict`` compares records and turns them into points and words;
* ``bounded`` is the process with limits of time and memory in which ``submission`` and ``verdict``
  do their work on what students wrote;
* ``plugins`` is what nbgrader runs, ``gradebook`` its database;
* ``authoring``, ``report`` and ``commands`` are for people.

Everything but ``kernel`` and ``bounded`` runs in the grading process, which opens nothing of a
student's.
"""

__version__ = "0.1.0"
