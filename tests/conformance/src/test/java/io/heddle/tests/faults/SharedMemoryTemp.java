package io.heddle.tests.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Temporary directories in shared memory, with a short path. */
final class SharedMemoryTemp implements TempDirFactory {
    @Override
    public Path createTempDirectory(final AnnotatedElementContext element, final ExtensionContext context)
        throws IOException {
        return Files.createTempDirectory(Path.of("/dev/shm"), "heddle-faults-");
    }
}
