package io.heddle.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether this process is in a container, and what that means for who can be reached. Immutable.
 *
 * @param hasOwnPids whether process ids mean something else than on the host; harmless
 * @param hasOwnIpc  whether {@code /dev/shm}, as containers are made, is not the host's
 * @param hasOwnUids whether user ids mean something else than on the host; harmless if ours is mapped
 * @param uidMap     ours, as the kernel prints it
 */
record NamespaceCheck(boolean hasOwnPids, boolean hasOwnIpc, boolean hasOwnUids, String uidMap) {
    private static final String NAME = "namespaces";
    private static final Path MEMORY = Path.of("/dev/shm");
    /** What the kernel numbers the host's own name spaces, on every machine. */
    private static final String HOSTS_IPC = "ipc:[4026531839]";
    private static final String HOSTS_USERS = "user:[4026531837]";
    private static final String HOSTS_PIDS = "pid:[4026531836]";

    static NamespaceCheck ofThisProcess() {
        return new NamespaceCheck(!HOSTS_PIDS.equals(namespace("pid")), !HOSTS_IPC.equals(namespace("ipc")),
            !HOSTS_USERS.equals(namespace("user")), uidMapOfThisProcess());
    }

    private static String namespace(final String kind) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/ns", kind)).toString();
        } catch (final IOException ex) {
            return "unknown";
        }
    }

    private static String uidMapOfThisProcess() {
        try {
            return Files.readString(Path.of("/proc/self/uid_map")).strip();
        } catch (final IOException ex) {
            return "";
        }
    }

    Finding finding(final Path directory) {
        final String seen = "pid=" + whose(hasOwnPids) + " user=" + whose(hasOwnUids) + " ipc=" + whose(hasOwnIpc);
        if (hasOwnUids && uidMap.isEmpty()) {
            return Finding.warn(NAME, seen + ", and no user id is mapped: all users look the same",
                "map the user (unshare --map-current-user)");
        }
        if (hasOwnPids && hasOwnIpc && directory.startsWith(MEMORY)) {
            return Finding.warn(NAME, seen + ", so " + MEMORY + " is probably this container's alone",
                "nothing, if the peers run in here; else share it (docker --ipc=shareable and --ipc=container:NAME), "
                    + "or set heddle.directory to a directory in a memory-backed volume that both mount");
        }
        return Finding.ok(NAME, seen + (hasOwnPids || hasOwnUids
            ? ", harmless as long as the peers share the directory and the user" : ""));
    }

    private static String whose(final boolean own) {
        return own ? "own" : "host";
    }
}
