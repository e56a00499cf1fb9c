"""The corpora of submissions through the real pipeline; see `corpus`."""

from pathlib import Path

import corpus
import pytest
from rich.console import Console
from support import parts


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_confusion_table_is_all_zeros(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    report = corpus.run(tmp_path)
    corpus.show(report, Console(width=160, soft_wrap=True))
    assert report.deviations == []
    counts = {name: sum(item.corpus == name for item in report.items) for name in corpus.CORPORA}
    assert counts["wheats"] >= 40
    assert counts["chaffs"] >= 60
    assert counts["damaged"] >= 40
    assert counts["hostile"] >= 50
    if report.skipped:
        parts.leave_out(request, "sandbox", corpus.said_to_be_skipped(report))
