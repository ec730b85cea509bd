package io.heddle.shm;

/** A peer's control message that cannot be; names the field. Ends that connection only. Immutable. */
final class ControlViolation extends Exception {
    private static final long serialVersionUID = 1L;

    ControlViolation(final String field, final String problem) {
        super("impossible control message: field=" + field + " " + problem, null, false, false);
    }

    static ControlViolation range(final String field, final long value, final long least, final long most) {
        return new ControlViolation(field, "value=" + value + " must be in " + least + ".." + most);
    }
}
