"""The course: folders, what grading consists of and its limits (read by nbgrader)."""

from pathlib import Path

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import (
    AssignLatePenalties,
    ClearMarkScheme,
    ClearOutput,
    GetGrades,
    IncludeHeaderFooter,
    LimitOutput,
    LockCells,
    SaveAutoGrades,
)

from autograder.authoring.leaks import DropAttachments
from autograder.plugins.exchange import ReleaseFeedback
from autograder.plugins.export import Export
from autograder.plugins.feedback import CleanFeedback, FeedbackExporter
from autograder.plugins.install import install
from autograder.plugins.preprocessors import Grade
from autograder.plugins.solution import ExecuteSolution

install()

c = get_config()  # noqa: F821  provided by traitlets

# Folders
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.CourseDirectory.course_id = "mini-gpt"
c.CourseDirectory.source_directory = "lessons"
c.CourseDirectory.solution_directory = "solutions"

# Where work changes hands; for accounts of their own, name a folder that all of them can write to
c.Exchange.root = str(Path(c.CourseDirectory.root) / "exchange")
c.Exchange.cache = str(Path(c.Exchange.root) / "cache")

# What students get
c.ClearSolutions.code_stub = {
    "python": '# YOUR CODE HERE\nraise NotImplementedError("replace this line with your answer")'
}
c.ClearMarkScheme.check_attachment_leakage = False  # DropAttachments removes them
c.ClearMarkScheme.enforce_metadata = False  # the scheme stands with the question it belongs to
c.GenerateAssignment.preprocessors = [
    *GenerateAssignment.class_traits()["preprocessors"].default(),
    DropAttachments,  # of solutions and marking schemes
]
c.GenerateSolution.preprocessors = [
    IncludeHeaderFooter,
    LockCells,
    ClearOutput,
    ClearMarkScheme,
    DropAttachments,
    ExecuteSolution,
]

# Grading
c.Autograde.sanitize_preprocessors = []  # Grade rebuilds what was handed in
c.Autograde.autograde_preprocessors = [Grade, LimitOutput, SaveAutoGrades, AssignLatePenalties]
c.GenerateFeedback.preprocessors = [GetGrades, CleanFeedback, CSSHTMLHeaderPreprocessor]
c.GenerateFeedback.exporter_class = FeedbackExporter
c.FeedbackExporter.update(FeedbackExporter.options())
c.ExportApp.plugin_class = Export
c.ExchangeFactory.release_feedback = ReleaseFeedback

# What hidden cases draw: any text of the course's and term's own, the same for all students
c.HiddenCases.salt = ""

# Limits of student code, with defaults that fit these lessons
c.Grade.cell_seconds = 30  # seconds for a cell
c.Grade.notebook_seconds = 120  # seconds for a notebook
c.Grade.output_bytes = 10 * 2**20  # output after which a cell is stopped
c.Grade.shown_output_bytes = 100_000  # output of a cell that is kept
c.SandboxPolicy.memory_bytes = 2 * 2**30  # of all processes of a notebook together
c.SandboxPolicy.processes = 64
c.SandboxPolicy.file_bytes = 100 * 2**20
c.SandboxPolicy.disk_bytes = 256 * 2**20
c.SandboxPolicy.allow_unconfined = True  # False: refuse to grade without bubblewrap

# Limits of our own work on what is handed in, before and after its cells run
c.Desk.seconds = 10  # to read a submission, rebuild a notebook or judge a question
c.Desk.memory_bytes = 400 * 2**20  # for the same
