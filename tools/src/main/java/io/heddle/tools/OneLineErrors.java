package io.heddle.tools;

import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Says what went wrong in one line on stderr: which command, what, and for bad arguments where help is. Thread safe.
 */
final class OneLineErrors implements IParameterExceptionHandler, IExecutionExceptionHandler {
    @Override
    public int handleParseException(final ParameterException problem, final String[] arguments) {
        final CommandLine command = problem.getCommandLine();
        final String name = command.getCommandSpec().qualifiedName();
        command.getErr().println(name + ": " + oneLine(problem) + " (see " + name + " --help)");
        return ExitCode.BAD_ARGUMENTS;
    }

    @Override
    public int handleExecutionException(final Exception problem, final CommandLine command, final ParseResult parsed) {
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + oneLine(problem));
        if (OneLineErrors.class.desiredAssertionStatus() && !(problem instanceof ToolException)) {
            // Someone debugs: where it came from is worth more than one line.
            problem.printStackTrace(command.getErr());
        }
        return ExitCode.FAILED;
    }

    /** The message with line breaks folded into spaces; the class where there is no message. */
    static String oneLine(final Throwable problem) {
        final String message = problem.getMessage();
        final boolean bare = message == null || message.isBlank();
        final String text = bare ? problem.getClass().getSimpleName() : message.strip().replaceAll("\\s*\\R\\s*", " ");
        return bare || problem instanceof ToolException || problem instanceof ParameterException
            ? text : problem.getClass().getSimpleName() + ": " + text;
    }
}
