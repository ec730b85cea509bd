package io.heddle.tests.pair;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A second name for a segment, which has its first only while a connection is being made. Stateless. */
final class PairLink {
    private PairLink() {
    }

    /** Links the segment that has a name at this moment; false if none has. */
    static boolean tryLink(final Path directory, final Path link) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.seg")) {
            for (final Path file : files) {
                Files.createLink(link, file);
                return true;
            }
        } catch (final IOException ex) {
            return false; // it has lost its name meanwhile
        }
        return false;
    }
}
