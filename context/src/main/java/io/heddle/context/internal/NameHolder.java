package io.heddle.context.internal;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * Who listens by a name, and where. Immutable.
 *
 * @param process what no other process on this host has said or will say; only {@link #isThisProcess} looks at it,
 *     since numbers prove nothing about others.
 * @param pid     as the holder's PID namespace counts; for people.
 * @param address the transport's bytes; a fresh array.
 */
public record NameHolder(String process, long pid, byte[] address) {
    /** What an address file holds at most. */
    static final int MAX_BYTES = 32 * 1024;

    private static final String SELF = "start_ticks=" + HostProcess.startTicks() + " boot_id=" + HostProcess.bootId() +
        " pid_namespace=" + HostProcess.pidNamespace();
    private static final long SELF_PID = HostProcess.pid();

    static NameHolder ofThisProcess(final byte[] address) {
        return new NameHolder(SELF, SELF_PID, address.clone());
    }

    /** Another class loader's Heddle is the same process. */
    boolean isThisProcess() {
        return pid == SELF_PID && process.equals(SELF);
    }

    byte[] encode() {
        final byte[] text = ("pid=" + pid + '\n' + process + '\n' + "address=" + HexFormat.of().formatHex(address)
            + '\n')
            .getBytes(StandardCharsets.US_ASCII);
        if (text.length > MAX_BYTES) {
            throw new HeddleException(Status.INVALID_PARAM, "addressBytes=" + address.length
                + " is too long to be told");
        }
        return text;
    }

    /** Null if there is none, or what is there says nothing. */
    static NameHolder read(final Path file) throws IOException {
        try {
            if (Files.size(file) > MAX_BYTES) {
                return null;
            }
            return decode(Files.readString(file, StandardCharsets.US_ASCII).split("\n", -1));
        } catch (final NoSuchFileException | java.nio.charset.CharacterCodingException | IllegalArgumentException ex) {
            return null;
        }
    }

    private static NameHolder decode(final String[] lines) {
        final String pidLabel = "pid=";
        final String addressLabel = "address=";
        if (lines.length != 4 || !lines[0].startsWith(pidLabel) || !lines[2].startsWith(addressLabel)) {
            return null;
        }
        return new NameHolder(lines[1], Long.parseLong(lines[0].substring(pidLabel.length())),
            HexFormat.of().parseHex(lines[2].substring(addressLabel.length())));
    }
}
