package io.heddle.context;

import java.util.List;

/** A configuration was refused, naming all that is wrong with it at once. Immutable. */
public final class ConfigurationException extends HeddleException {
    private static final long serialVersionUID = 1L;

    private final String[] problems;

    /** One line per problem, at least one. */
    public ConfigurationException(final List<String> problems) {
        super(Status.INVALID_PARAM, String.join(System.lineSeparator(), problems));
        this.problems = problems.toArray(new String[0]);
    }

    /** A single problem. */
    public ConfigurationException(final String problem) {
        this(List.of(problem));
    }

    /** The problems in the order of the keys, each readable by itself; unmodifiable. */
    public List<String> problems() {
        return List.of(problems);
    }
}
