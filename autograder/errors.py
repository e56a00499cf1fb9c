"""What can go wrong that people can mend, each as one sentence (all processes)."""


class CourseError(Exception):
    """The course or the machine must be changed first; the message says what to do."""


class NotGradable(Exception):
    """A submission or notebook that has no score; the message is the reason."""


class KernelStartError(RuntimeError):
    """No kernel could be started: the machine's fault, not the student's."""
