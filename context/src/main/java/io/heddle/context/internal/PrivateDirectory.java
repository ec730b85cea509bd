package io.heddle.context.internal;

import io.heddle.context.AccessRefusedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/** A directory for one user: {@code 0700}, ours, and no symbolic link. Stateless. */
final class PrivateDirectory {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    private static final int PERMISSION_BITS = 0777;
    private static final int OWNER_BITS = 0700;

    private PrivateDirectory() {
    }

    /** Makes it if it does not exist, then {@link #verify}. */
    static Path open(final Path directory) throws IOException {
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (final FileAlreadyExistsException ex) {
            return verify(directory);
        } catch (final IOException ex) {
            requireMakeable(directory);
            throw ex;
        }
        return verify(directory);
    }

    /** Says what keeps a directory that does not exist from being made, if that can be seen. */
    static void requireMakeable(final Path directory) {
        final Path parent = directory.toAbsolutePath().getParent();
        if (!Files.isDirectory(parent)) {
            throw new HeddleException(Status.IO_ERROR, "cannot make the directory: directory=" + directory +
                " and its parent is missing: parent=" + parent +
                "; make the parent, or choose another heddle.directory");
        }
        if (!Files.isWritable(parent)) {
            throw new AccessRefusedException("cannot make the directory: directory=" + directory +
                " parent=" + parent + " is not writable for uid=" + HostProcess.uid() +
                "; choose another heddle.directory");
        }
    }

    /** The same directory with its parents resolved. Throws {@link AccessRefusedException} if it is not ours alone. */
    static Path verify(final Path directory) throws IOException {
        final Map<String, Object> found =
            Files.readAttributes(directory, "unix:uid,mode,isDirectory,isSymbolicLink", LinkOption.NOFOLLOW_LINKS);
        if ((Boolean)found.get("isSymbolicLink")) {
            throw new AccessRefusedException(
                "symbolic links are not followed: directory=" + directory +
                    " target=" + Files.readSymbolicLink(directory));
        }
        if (!(Boolean)found.get("isDirectory")) {
            throw new AccessRefusedException("not a directory: directory=" + directory);
        }
        final int uid = (Integer)found.get("uid");
        if (uid != HostProcess.uid()) {
            throw new AccessRefusedException(
                "directory belongs to another user: directory=" + directory + " uid=" + uid +
                    " must be " + HostProcess.uid() + "; choose another heddle.directory");
        }
        final int permissions = (Integer)found.get("mode") & PERMISSION_BITS;
        if ((permissions & ~OWNER_BITS) != 0) {
            throw new AccessRefusedException(
                "directory is open to others: directory=" + directory +
                    " permissions=" + Integer.toOctalString(permissions) +
                    " must be 700; remove it, or chmod 700 it if you trust what is in it");
        }
        if (permissions != OWNER_BITS) {
            // A umask took our own rights, here or in the process that is making it just now.
            Files.setPosixFilePermissions(directory, OWNER_ONLY);
        }
        return directory.toRealPath();
    }
}
