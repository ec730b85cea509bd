package io.heddle.worker;

import org.agrona.concurrent.Agent;

/** A worker's progress as an agent. Used by whatever thread the worker's mode allows. */
final class WorkerAgent implements Agent {
    private final Worker worker;

    WorkerAgent(final Worker worker) {
        this.worker = worker;
    }

    @Override
    public int doWork() {
        return worker.progress();
    }

    @Override
    public String roleName() {
        return "heddle-progress-" + worker.name();
    }
}
