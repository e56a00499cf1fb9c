"""What can go wrong that people can mend, each as one sentence (all processes)."""

from autograder.notes import Kind, Note


class CourseError(Exception):
    """The course or the machine must be changed first; the message says what to do."""


class NotGradable(Exception):
    """A submission or notebook that has no score; the message is the reason."""

    def __init__(self, kind: Kind, text: str) -> None:
        self.note = Note(kind, text)
        super().__init__(self.note)


class KernelStartError(RuntimeError):
    """No kernel could be started: the machine's fault, not the student's."""
