"""What is said and done where nothing confines student code."""

from __future__ import annotations

import logging

import pytest

from autograder.errors import KernelStartError
from autograder.execution import bubblewrap, sandbox
from autograder.execution.bubblewrap import BUBBLEWRAP
from autograder.execution.sandbox import SandboxPolicy


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without bubblewrap."""
    monkeypatch.setattr(bubblewrap, "program", lambda: None)
    sandbox._warn_once.cache_clear()


@pytest.mark.sandbox
def test_student_code_is_confined_here():
    assert SandboxPolicy().kind == BUBBLEWRAP


@pytest.mark.usefixtures("bare")
def test_a_class_without_a_sandbox_is_told_so_once_and_loudly(tmp_path, caplog):
    log = logging.getLogger("test_sandbox")
    for _ in range(3):  # one for each submission
        settings = SandboxPolicy()
        settings.log = log
        with settings.opened(tmp_path) as opened:
            assert opened.kind == ""
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert "STUDENT CODE IS NOT CONFINED" in record.message


@pytest.mark.usefixtures("bare")
def test_a_required_sandbox_that_is_missing_refuses(tmp_path):
    settings = SandboxPolicy(allow_unconfined=False)
    with (
        pytest.raises(KernelStartError, match="Install bubblewrap"),
        settings.opened(tmp_path),
    ):
        pass


@pytest.mark.usefixtures("bare")
def test_an_ordinary_kernel_grades_without_a_sandbox(tmp_path):
    (tmp_path / "data.txt").write_text("seen", encoding="utf-8")
    settings = SandboxPolicy()
    settings.log = logging.getLogger("test_sandbox")
    with settings.opened(tmp_path) as opened:
        session = opened.start(10**6)
        try:
            run = session.run("print(open('data.txt').read())", 60)
        finally:
            session.close()
    assert run.outputs[0].text == "seen\n"
