"""Which names a cell binds, as Python and as IPython reads it."""

from __future__ import annotations

import pytest

from autograder.lesson.source import bound_names, parse


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a = 1\nb, (c, *d) = e", {"a", "b", "c", "d"}),
        ("a: int = 1\nb += 1", {"a", "b"}),
        ("def f():\n    inner = 1", {"f"}),
        ("f = lambda x: (y := x)", {"f"}),
        ("async def f(): ...\nclass A:\n    x = 1", {"f", "A"}),
        ("if True:\n    a = 1\nelse:\n    b = 2", {"a", "b"}),
        ("for i in x:\n    a = i\nwith y as z:\n    pass", {"i", "a", "z"}),
        ("[i for i in x if (last := i)]", {"last"}),
        ("a[0] = 1\nb.c = 2", set()),
        ("not python at all", set()),
        ("x = '\0'", {"x"}),
        ("(" * 500 + ")" * 500, set()),
        # In blocks
        ("if True:\n    def f(): ...", {"f"}),
        ("try:\n    def f(): ...\nexcept E as e:\n    pass\nfinally:\n    g = 1", {"f", "g"}),
        ("with x:\n    async def f(): ...", {"f"}),
        ("while True:\n    class A: ...\n    break", {"A"}),
        ("match x:\n    case [a, *b] as c:\n        d = 1", {"a", "b", "c", "d"}),
        # Imported
        ("from helper import f, g as h", {"f", "h"}),
        ("import numpy.linalg as la, os.path", {"la", "os"}),
        ("from helper import *", set()),
        # IPython
        ("%matplotlib inline\na = 1", {"a"}),
        ("!pip install numpy\ndef f(): ...", {"f"}),
        ("def f(): ...\nf?", {"f"}),
        ("def f(): ...\n%time f()\n%timeit -n 1 f()", {"f"}),
        ("files = !ls", {"files"}),
        ("%%time\ndef f(): ...", {"f"}),
        ("\n%%capture out\n%%time\ndef f(): ...", {"f"}),
        ("%%bash\nf=1", set()),
        ("%%writefile helper.py\ndef f(): ...", set()),
        (">>> def f():\n...     return 1", {"f"}),
        # Neither: what its lines say
        ("def f(x):\n    return f'{x['a' f'", {"f"}),
        ("def f(x):\nreturn x\na = 1\nb == 2", {"f", "a"}),
        ("async  def f(:\nclass A(:\n    def g(", {"f", "A"}),
    ],
)
def test_the_names_that_a_cell_binds_are_found(source, names):
    assert bound_names(source) == names


def test_imported_names_can_be_left_out():
    assert bound_names("import numpy as np\nfrom a import b\nc = 1", imported=False) == {"c"}


@pytest.mark.parametrize("source", ["    return y", "\n  if x:\n", "def f(x):", "f(x) +"])
def test_the_middle_of_something_is_not_a_cell(source):
    assert parse(source) is None
