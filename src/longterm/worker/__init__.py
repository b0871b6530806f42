"""Background work: takes due jobs from the queue and runs them, each as often as it takes."""
