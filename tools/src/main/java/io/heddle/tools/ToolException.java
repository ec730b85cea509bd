package io.heddle.tools;

/** Ends a command with {@link ExitCode#FAILED}; the message, one line, is all the user sees. Immutable. */
final class ToolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ToolException(final String message) {
        super(message);
    }

    ToolException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
