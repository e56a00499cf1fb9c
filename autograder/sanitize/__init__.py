"""Keep what students wrote from acting on the page that shows it.

Graded notebooks are opened in Formgrader, in an instructor's browser and with an instructor's
rights, and feedback pages in a student's. So nothing of a student's may bring a script there, send
a request, reach out of its own cell or keep the page waiting: outputs are reduced to text, pictures
and cleaned HTML. Of a text cell it is rendered what the pages will render, and only a text whose
page needs no cleaning stays as it is.

Everything here takes time in proportion to the length of its input, but for the rendering of
Markdown and of code, which gets a limit (`autograder.sanitize.budget.Budget`).

``text`` is for every writer and imports no library. ``outputs`` and ``markdown`` clean the two
kinds of cells, with ``html`` and its tables ``allowed``, and ``pictures``.
"""
