package io.heddle.tools;

import io.heddle.context.HeddleException;
import io.heddle.context.RuntimeDirectories;
import io.heddle.context.SweepReport;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Whether contexts can meet in the runtime directory. Stateless. */
final class DirectoryCheck {
    private static final String NAME = "directory";

    private DirectoryCheck() {
    }

    static Finding finding(final Path directory) {
        try {
            RuntimeDirectories.check(directory);
            if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
                return Finding.ok(NAME, directory + " does not exist yet and can be made");
            }
            final SweepReport report = RuntimeDirectories.sweep(directory, true);
            final String seen = directory + " is ours, 0700, no link, short enough for sockets";
            return report.removed().isEmpty() ? Finding.ok(NAME, seen)
                : Finding.warn(NAME, seen + "; dead processes left files=" + report.removed().size() + " bytes="
                    + report.removedBytes(), "heddle clean, or the next context that is created in it");
        } catch (final HeddleException ex) {
            return refused(OneLineErrors.oneLine(ex));
        }
    }

    /** The exception's own words name the cure after a semicolon, where they know one. */
    private static Finding refused(final String message) {
        final int end = message.lastIndexOf("; ");
        return end < 0 ? Finding.fail(NAME, message, "another heddle.directory, or --directory")
            : Finding.fail(NAME, message.substring(0, end), message.substring(end + 2));
    }
}
