package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.NoSharedMemoryException;
import io.heddle.context.ThreadMode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A pair at work in a small file system that gets full: it goes on; who comes then is refused and leaves nothing. */
final class FullSpaceChild {
    private static final int[] SIZES = {0, 8, 500, 2_025, 5_000, 65_511, 70_000, 300_000};

    private FullSpaceChild() {
    }

    /** The directory that the file system is mounted at. */
    public static void main(final String[] arguments) throws IOException {
        final Path root = Path.of(arguments[0]);
        final Path directory = root.resolve("heddle");
        final ContextConfig config = new ContextConfig().directory(directory);
        try (Rig rig = Rig.open(ThreadMode.MULTI, config)) {
            final int[] received = new int[1];
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                Rig.assertRight(message);
                received[0]++;
            });
            fill(root.resolve("filler"));
            final List<String> before = files(directory);

            final NoSharedMemoryException refused =
                assertThrows(NoSharedMemoryException.class, () -> Context.create(config));

            assertEquals(directory.toRealPath().toString(), refused.directory());
            assertTrue(refused.neededBytes() > refused.availableBytes(), refused::getMessage);
            assertTrue(refused.getMessage().contains("; change the size of its file system"), refused::getMessage);
            assertEquals(before, files(directory));
            for (final int size : SIZES) {
                rig.sendNow(size);
            }
            rig.until("all received", () -> received[0] == SIZES.length);
            assertTrue(rig.receiver.describe().contains("growthRefused=[not enough shared memory: directory="
                + directory), rig.receiver::describe);

            Files.delete(root.resolve("filler"));
            Context.create(config).close();
            assertEquals(before, files(directory));
        }
    }

    /** Until nothing more goes in. */
    static void fill(final Path file) throws IOException {
        final byte[] zeros = new byte[4096];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < 1 << 14; i++) {
                out.write(zeros);
            }
        } catch (final IOException ex) {
            return;
        }
        throw new AssertionError("the file system does not get full");
    }

    static List<String> files(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::toString).sorted().toList();
        }
    }
}
