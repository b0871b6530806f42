"""Numbers for Prometheus, one registry for each running Longterm."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_OF_MODELS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """Every metric, named once."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        count, show, time = self._counter, self._gauge, self._histogram
        self.operation_seconds = time("operation", "Time of one operation.", "operation")
        self.operation_errors = count(
            "operation_errors",
            "Operations that raised an error, by its kind.",
            "operation",
            "error",
        )
        self.messages_stored = count("messages_stored", "Messages stored.")
        self.turns_stored = count("turns_stored", "Turns stored.")
        self.turns_failed = count("turns_failed", "Turns that could not be stored.")
        self.answers_under_way = show("answers_under_way", "Answers that are being made.")
        self.cleanup_runs = count("cleanup_runs", "Cleanups that ran.")
        self.cleanup_deleted = count("cleanup_deleted", "What cleanups deleted.", "what")
        self.jobs_run = count(
            "jobs_run",
            "Jobs that ran, by how they ended: done, deferred, retry, dead.",
            "task",
            "outcome",
        )
        self.jobs_waiting = show("jobs", "Jobs in the queue, by state.", "state")
        self.jobs_lag = show("jobs_lag_seconds", "How long the oldest due job has been waiting.")
        self.degraded = show(
            "degraded", "1 while the database is away or the journal is not written back."
        )
        self.journal_pending = show("journal_pending", "Records on disk that wait.")
        self.journal_kept = count("journal_kept", "Records kept on disk during outages.")
        self.journal_written_back = count("journal_written_back", "Records written back.")
        self.disk_free_bytes = show(
            "disk_free_bytes", "Room on the disk of the data and journal folders.", "folder"
        )
        self.disk_free_share = show(
            "disk_free_share", "The same as a share of the disk, from 0 to 1.", "folder"
        )
        self.recall_seconds = time("recall", "Time of recall, by stage.", "stage")
        self.model_seconds = time(
            "model",
            "Time of one call to a model, by how it ended: ok, gone, refused, cancelled.",
            *("model", "purpose", "outcome"),
            buckets=_OF_MODELS,
        )
        self.model_tokens = count(
            "model_tokens",
            "Tokens that went to a model (prompt) and came from it (answer).",
            *("model", "purpose", "kind"),
        )

    def text(self) -> bytes:
        """Everything, in the format that Prometheus reads."""
        return generate_latest(self.registry)

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(f"longterm_{name}", about, labels, registry=self.registry)

    def _gauge(self, name: str, about: str, *labels: str) -> Gauge:
        return Gauge(f"longterm_{name}", about, labels, registry=self.registry)

    def _histogram(
        self, name: str, about: str, *labels: str, buckets: Sequence[float] = _BUCKETS
    ) -> Histogram:
        return Histogram(
            f"longterm_{name}_seconds", about, labels, buckets=buckets, registry=self.registry
        )
