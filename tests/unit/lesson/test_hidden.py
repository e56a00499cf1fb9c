"""Hidden blocks: what is taken out, what a submission's kernel runs, what authors are told."""

from __future__ import annotations

import base64
import builtins
import json
import marshal
import re
import types

import IPython.display
import pytest
from support.lessons import DOUBLE_CHECK

from autograder.errors import CourseError
from autograder.evidence import MIME, decode
from autograder.kernel import probe as recorder
from autograder.lesson import hidden
from autograder.probe import EvidenceRecorded
from autograder.verdict.compare import verdict_on
from autograder.verdict.outcome import read_evidence

SOURCE = """\
before = 1
### BEGIN HIDDEN TESTS
secret = 2

    indented
### END HIDDEN TESTS
after = 3
### BEGIN MARK SCHEME
two points
### END MARK SCHEME
last = 4"""


def block_of(source):
    return f"### BEGIN HIDDEN TESTS\n{source}\n### END HIDDEN TESTS\n"


def code_objects(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_objects(constant)


def compiled(source):
    """Return the code object that a submission's kernel gets."""
    blob = re.search(r'run_check\("([^"]+)"', hidden.grading_source(source))[1]
    return marshal.loads(base64.b64decode(blob))


def words(source):
    """Return all names and constants in what a submission's kernel gets."""
    found = set()
    for code in code_objects(compiled(source)):
        found |= {code.co_name, *code.co_names, *code.co_varnames, *code.co_freevars}
        found |= {str(constant) for constant in code.co_consts}
    return found


@pytest.fixture
def run(monkeypatch):
    """Runs a check cell as a submission's kernel does; returns the published evidence."""

    def run(source, namespace, salt=""):
        published = []
        with monkeypatch.context() as patch:
            patch.setattr(recorder, "_mode", "grading")
            patch.setattr(IPython.display, "publish_display_data", published.append)
            with pytest.raises(EvidenceRecorded):
                exec(hidden.grading_source(source, salt), namespace)
        return [json.loads(json.dumps(data[MIME])) for data in published]

    return run


# What is shown and what is not ------------------------------------------------------------------


def test_a_cell_is_split_at_the_marks():
    inside, outside = hidden.split(SOURCE)
    assert inside == "secret = 2\n\n    indented"
    assert "secret" not in outside
    assert outside.startswith("before = 1\nafter = 3\n")


def test_a_block_that_never_ends_is_hidden_to_the_end():
    assert hidden.split("a\n# BEGIN HIDDEN TESTS\nb\nc") == ("b\nc", "a")


def test_a_cell_without_marks_is_all_visible():
    assert hidden.split("a\nb") == ("", "a\nb")
    assert hidden.visible("a\nb") == "a\nb"


def test_hidden_tests_and_marking_schemes_are_not_visible():
    assert hidden.visible(SOURCE) == "before = 1\nafter = 3\nlast = 4"


def test_secret_lines_are_those_between_any_marks():
    assert hidden.secret_lines(SOURCE) == ["secret = 2", "indented", "two points"]


# What a submission's kernel runs ----------------------------------------------------------------


def test_the_kernel_gets_no_text_of_the_block():
    source = hidden.grading_source(DOUBLE_CHECK)
    assert source.count("\n") == 1
    assert not [
        line for line in hidden.secret_lines(DOUBLE_CHECK) if line in source and len(line) > 8
    ]
    assert {code.co_filename for code in code_objects(compiled(DOUBLE_CHECK))} == {"<check>"}


def test_the_kernel_gets_no_known_answers():
    found = words(DOUBLE_CHECK)
    for word in ("mistakes", "edge_mistakes", "alternatives", "_in_place", "<lambda>"):
        assert word not in found
    assert not any("squares" in word or "a sum" in word for word in found)
    assert {"probe", "case", "double", "_rng"} <= found
    assert "a table of numbers" not in found


def test_the_kernel_gets_nothing_of_what_only_known_answers_use():
    source = block_of(
        "from autograder.probe import case, known_answers, probe\n"
        "### BEGIN KNOWN ANSWERS\n"
        "def _spread(table):\n"
        "    return table.std()\n"
        "_known = {}\n"
        "_known['twice'] = lambda x: x * 2\n"
        "known_answers(alternatives=_known, summary={'a call': _spread})\n"
        "### END KNOWN ANSWERS\n"
        "probe(f, case('a call', 3))"
    )
    found = words(source)
    assert not {"_spread", "std", "_known", "twice", "<lambda>", "known_answers"} & found
    assert {"probe", "case", "f", "3"} <= found


def test_the_kernel_gets_nothing_of_what_is_asked_for():
    source = block_of(
        "from autograder.probe import case, probe\n"
        "T = 9\n"
        "cases = [\n"
        "    case(f'past {T}', n, raises=(IndexError, KeyError), mentions=('rows', 6.25))\n"
        "    for n in (77, 78)\n"
        "]\n"
        "probe(f, *cases, case('own', 79, penalty=0.125, fresh=True, scale=3), rtol=0.5, atol=1e-7)"
    )
    found = words(source)
    hidden_words = {"raises", "mentions", "penalty", "fresh", "rtol", "atol", "IndexError", "rows"}
    assert not {*hidden_words, "KeyError", "6.25", "0.125", "0.5", "1e-07", "own"} & found
    assert not any("past" in word for word in found)
    assert {"(77, 78)", "79", "3", ""} <= found


@pytest.mark.parametrize("call", ["case(label, 1)", "case(*inputs)", "case()"])
def test_a_label_stands_in_its_place_so_that_it_can_be_left_out(call):
    source = block_of(f"from autograder.probe import case, probe\nprobe(f, {call})")
    assert "whose label is not a text in its place" in hidden.misplaced(source)


def test_the_kernel_gets_the_helpers_that_cases_use():
    source = block_of(
        "from autograder.probe import case, probe\n"
        "def _twice(f, x):\n    return f(f(x))\n"
        "_inputs = lambda: (3,)\n"
        "probe(f, case('a call', *_inputs(), call=_twice))"
    )
    assert {"_twice", "_inputs"} <= words(source)


def test_the_kernel_gets_the_changes_that_a_block_makes_to_its_inputs(run):
    source = block_of(
        "from autograder.probe import case, probe\n"
        "_numbers = [1, 2, 3]\n"
        "_numbers[0] = 9\n"
        "probe(f, case('a call', _numbers))"
    )
    [evidence] = run(source, {"f": sum})
    assert decode(evidence["cases"][0]["returned"]) == 14


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ("known_answers(mistakes={'m': 7})\nprobe(value=f)", "calls known_answers outside"),
        ("say = known_answers\nsay(mistakes={'m': 7})\nprobe(value=f)", "calls known_answers"),
        ("### BEGIN KNOWN ANSWERS\nknown_answers()\nprobe(value=f)", "without ### END"),
        ("import autograder.probe\nprobe(value=f)", "must import with"),
        ("from autograder.probe import known_answers as k\nprobe(value=f)", "another name"),
        ("def _answer(x):\n    return 2 * x\nprobe(value=f)", "defines _answer"),
        ("class _Answer:\n    pass\nprobe(value=f)", "defines _Answer"),
    ],
)
def test_what_stands_on_the_wrong_side_of_the_marks_is_refused(block, why):
    source = block_of(f"from autograder.probe import case, known_answers, probe\n{block}")
    assert why in hidden.misplaced(source)


def test_a_block_with_everything_in_its_place_is_accepted():
    assert hidden.misplaced(DOUBLE_CHECK) == ""


def test_a_salt_changes_what_a_block_draws_in_both_processes_alike(run):
    source = block_of(
        "from autograder.probe import case, default_rng, probe\n"
        "probe(double, case('drawn', default_rng(1).normal(size=3)))"
    )
    inputs = {}
    for salt in ("", "spring", "a \"quoted\" 'salt'"):
        [evidence] = run(source, {"double": lambda x: 2 * x}, salt)
        [made] = hidden.load_probes(hidden.split(source)[0], "a check", salt)
        inputs[salt] = decode(evidence["cases"][0]["inputs"][0]).tolist()
        assert inputs[salt] == made.cases[0].args[0].tolist()
    assert len({tuple(drawn) for drawn in inputs.values()}) == 3


def test_the_visible_checks_are_not_run(run):
    source = block_of("from autograder.probe import probe\nprobe(value=size)")
    [evidence] = run(source + "raise RuntimeError('visible checks')", {"size": 3})
    assert decode(evidence["cases"][0]["returned"]) == 3


def test_the_block_gives_the_evidence_of_its_probe(run, course, lesson, first):
    from autograder.pipeline import prepare

    [evidence] = run(DOUBLE_CHECK, {"double": lambda numbers: numbers + numbers})
    [reference] = prepare(first, course.root)["double_check"]
    assert not verdict_on(reference, read_evidence(reference, evidence)).failed


def test_the_block_leaves_no_names_behind(run):
    namespace = {"double": lambda numbers: numbers * 2}
    run(DOUBLE_CHECK, namespace)
    left = {name for name in namespace if not name.startswith("__")}
    assert not left & {"np", "case", "probe", "_rng", "_in_place", "default_rng"}
    assert left - {"double"} <= {"_autograder", "_autograder_check"}


def test_the_block_works_although_names_are_rebound(run):
    source = block_of(
        "import numpy as np\n"
        "from autograder.probe import case, probe\n"
        "_sizes = [len(list(range(n))) for n in (2, 3)]\n"
        "probe(total, case('some', np.arange(float(max(_sizes)))))"
    )
    rebound = dict.fromkeys(["len", "list", "range", "max", "float", "np", "probe", "case"], 5)
    [evidence] = run(source, {"total": lambda x: x.sum(), **rebound})
    assert decode(evidence["cases"][0]["returned"]) == 3.0


def test_a_cell_with_two_probes_records_both(run):
    source = block_of(
        "from autograder.probe import case, probe\n"
        "probe(value=size)\n"
        "probe(double, case('a call', 3))"
    )
    found = run(source, {"size": 3, "double": lambda x: 2 * x})
    assert [decode(evidence["cases"][0]["returned"]) for evidence in found] == [3, 6]


def test_an_answer_that_is_missing_is_a_name_error():
    with pytest.raises(NameError, match="double"):
        exec(hidden.grading_source(DOUBLE_CHECK), {})


def test_functions_of_the_block_see_its_names(run):
    source = block_of(
        "from autograder.probe import case, probe\n"
        "_factor = 3\n"
        "def _scaled(f, x):\n    return _factor * f(x)\n"
        "probe(double, case('a call', 2, call=_scaled))"
    )
    [evidence] = run(source, {"double": lambda x: 2 * x, "_factor": 100})
    assert decode(evidence["cases"][0]["returned"]) == 12


# Names ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "read", "bound"),
    [
        ("a = b", {"b"}, {"a"}),
        ("import os.path as p, sys", set(), {"p", "sys"}),
        ("def f(x):\n    y = x + z\n    return y", {"z"}, {"f"}),
        ("[i + k for i in r]", {"k", "r"}, set()),
        ("def f():\n    global g\n    g = 1", set(), {"f", "g"}),
        ("class A:\n    b = c", {"c"}, {"A"}),
        ("lambda x=d: x + e", {"d", "e"}, set()),
    ],
)
def test_the_names_that_code_reads_and_binds_are_known(source, read, bound):
    found = hidden.names(source)
    assert found[0] - {"i"} == read
    assert found[1] - {"i"} == bound


def test_the_probed_names_are_the_students():
    block = (
        "from autograder.probe import case, probe\n"
        "_own = 1\n"
        "probe(double, case('a call', _own))\n"
        "probe(value=(rows, columns, _own))"
    )
    assert hidden.probed_names(block) == {"double", "rows", "columns"}


@pytest.mark.parametrize(
    ("block", "borrowed"),
    [
        ("from autograder.probe import probe\nprobe(value=size)", set()),
        ("probe(value=size)", {"probe"}),
        ("from autograder.probe import probe\nprobe(value=size, rtol=P)", {"P"}),
        (
            "from autograder.probe import case, probe\n"
            "def _helper(x):\n    return np.sum(x) + len(x)\n"
            "probe(f, case('a call', token_emb, call=_helper))",
            {"np", "token_emb"},
        ),
    ],
)
def test_names_that_a_block_borrows_from_the_student_are_found(block, borrowed):
    assert hidden.borrowed_names(block) == borrowed


def test_probes_are_counted_and_nothing_else():
    block = "# probe(value=1)\ntext = 'probe(value=2)'\nprobe(value=3)\nother.probe(value=4)"
    assert hidden.count_probes(block) == 1


# Reading probes in the grading process ----------------------------------------------------------


def test_the_probes_of_a_block_are_made_and_not_run():
    block = hidden.split(DOUBLE_CHECK)[0]
    [one] = hidden.load_probes(block, "double_check")
    assert [case.label for case in one.cases] == [
        "a table of numbers",
        "a row of numbers",
        "no numbers at all",
    ]
    assert list(one.known.mistakes) == ["squares the numbers", "changes its <input>"]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("1 / 0", "The hidden block of q_check in nb fails with ZeroDivisionError"),
        ("from autograder.probe import probe\nprobe(value=f(1))", "fails with TypeError"),
        ("unknown", "fails with NameError: name 'unknown' is not defined"),
        ("from autograder.probe import probe\nprobe()", "fails with TypeError: probe takes"),
        ("from autograder.probe import probe", "must call probe(...), and it does not"),
        ("", "must call probe(...), and it does not"),
    ],
)
def test_an_author_is_told_what_is_wrong_with_a_block(block, message):
    with pytest.raises(CourseError, match=re.escape(message)):
        hidden.load_probes(block, "q_check in nb")


def test_reading_probes_changes_nothing_in_this_process():
    before = dict(vars(builtins))
    hidden.load_probes(hidden.split(DOUBLE_CHECK)[0], "double_check")
    assert vars(builtins) == before
