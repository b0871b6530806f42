"""Numbers for Prometheus, one registry for each running Longterm."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """Every metric, named once."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.operation_seconds = Histogram(
            "longterm_operation_seconds",
            "Time of one operation.",
            ["operation"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.operation_errors = Counter(
            "longterm_operation_errors",
            "Operations that raised an error, by its kind.",
            ["operation", "error"],
            registry=self.registry,
        )
        self.messages_stored = Counter(
            "longterm_messages_stored", "Messages stored.", registry=self.registry
        )
        self.turns_stored = Counter(
            "longterm_turns_stored", "Turns stored.", registry=self.registry
        )
        self.turns_failed = Counter(
            "longterm_turns_failed", "Turns that could not be stored.", registry=self.registry
        )
        self.cleanup_runs = Counter(
            "longterm_cleanup_runs", "Cleanups that ran.", registry=self.registry
        )
        self.cleanup_deleted = Counter(
            "longterm_cleanup_deleted",
            "What cleanups deleted.",
            ["what"],
            registry=self.registry,
        )
        self.jobs_run = Counter(
            "longterm_jobs_run",
            "Jobs that a worker ran, by how they ended: done, retry, dead.",
            ["task", "outcome"],
            registry=self.registry,
        )
        self.degraded = Gauge(
            "longterm_degraded",
            "1 while the database is away or the journal is not written back.",
            registry=self.registry,
        )
        self.journal_pending = Gauge(
            "longterm_journal_pending", "Records on disk that wait.", registry=self.registry
        )
        self.journal_kept = Counter(
            "longterm_journal_kept",
            "Records kept on disk while the database was away.",
            registry=self.registry,
        )
        self.journal_written_back = Counter(
            "longterm_journal_written_back", "Records written back.", registry=self.registry
        )
        self.recall_seconds = Histogram(
            "longterm_recall_seconds",
            "Time of recall, by stage.",
            ["stage"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.model_seconds = Histogram(
            "longterm_model_seconds",
            "Time of one call to a model, by how it ended: ok, gone, refused, cancelled.",
            ["model", "purpose", "outcome"],
            buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
            registry=self.registry,
        )
        self.model_tokens = Counter(
            "longterm_model_tokens",
            "Tokens that went to a model (prompt) and came from it (answer).",
            ["model", "purpose", "kind"],
            registry=self.registry,
        )
        self.jobs_waiting = Gauge(
            "longterm_jobs", "Jobs in the queue, by state.", ["state"], registry=self.registry
        )
        self.jobs_lag = Gauge(
            "longterm_jobs_lag_seconds",
            "For how long the oldest due job has been waiting.",
            registry=self.registry,
        )

    def text(self) -> bytes:
        """Everything, in the format that Prometheus reads."""
        return generate_latest(self.registry)
