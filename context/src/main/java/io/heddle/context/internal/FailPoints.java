package io.heddle.context.internal;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Named places where a test makes the process die, stand still or fail, so that a crash lands at an exact step. Set by
 * {@code heddle.failpoints=name:action,...} (property or environment), read once per JVM; nothing but a constant {@code
 * false} when unset. {@code name:action@n} lets the first n - 1 passages go.
 *
 * <p>Actions: {@code kill} ends the process by signal 9, {@code pause} parks the thread for good (the test kills the
 * process), {@code fail} throws {@link HeddleException} with {@link Status#IO_ERROR}. Thread safe.
 */
public final class FailPoints {
    private static final Map<String, Point> POINTS = parse(setting());
    private static final boolean ENABLED = !POINTS.isEmpty();

    private enum Action { KILL, PAUSE, FAIL }

    /** What happens, and at which passage. */
    private record Point(Action action, AtomicInteger left) {
    }

    private FailPoints() {
    }

    /** Does what the setting says about this point; returns at once if it says nothing. */
    public static void at(final String name) {
        if (ENABLED) {
            final Point point = POINTS.get(name);
            if (point != null && point.left.decrementAndGet() == 0) {
                run(name, point.action);
            }
        }
    }

    static boolean isKnown(final String setting, final String name) {
        return parse(setting).containsKey(name);
    }

    private static void run(final String name, final Action action) {
        final Logger logger = LoggerFactory.getLogger(FailPoints.class);
        logger.warn("fail point reached: name={} action={}", name, action);
        switch (action) {
            case KILL -> {
                killSelf();
                standStill();
            }
            case PAUSE -> standStill();
            case FAIL -> throw new HeddleException(Status.IO_ERROR, "fail point: name=" + name);
            default -> throw new IllegalStateException("action=" + action);
        }
    }

    private static void standStill() {
        while (true) {
            LockSupport.park(FailPoints.class);
        }
    }

    /** What a user's {@code kill -9} does; the JVM's own ways to end do more, or refuse. */
    private static void killSelf() {
        try {
            new ProcessBuilder("kill", "-KILL", Long.toString(ProcessHandle.current().pid())).start();
        } catch (final IOException ex) {
            throw new HeddleException(Status.IO_ERROR, "fail point: cannot kill this process", ex);
        }
    }

    private static Map<String, Point> parse(final String setting) {
        final Map<String, Point> points = new HashMap<>();
        for (final String entry : setting.split(",")) {
            if (entry.isBlank()) {
                continue;
            }
            final int colon = entry.indexOf(':');
            if (colon <= 0) {
                throw new IllegalArgumentException("heddle.failpoints=" + setting +
                    " must be name:kill|pause|fail[@passage],...");
            }
            final String name = entry.substring(0, colon).trim();
            points.put(name, point(setting, entry.substring(colon + 1).trim()));
        }
        return Map.copyOf(points);
    }

    private static Point point(final String setting, final String text) {
        final int at = text.indexOf('@');
        if (at < 0) {
            return new Point(action(setting, text), new AtomicInteger(1));
        }
        final String passage = text.substring(at + 1);
        if (!passage.matches("[1-9][0-9]{0,8}")) {
            throw new IllegalArgumentException("heddle.failpoints=" + setting + " passage=" + passage
                + " must be a number from 1");
        }
        return new Point(action(setting, text.substring(0, at)), new AtomicInteger(Integer.parseInt(passage)));
    }

    private static Action action(final String setting, final String word) {
        return switch (word) {
            case "kill" -> Action.KILL;
            case "pause" -> Action.PAUSE;
            case "fail" -> Action.FAIL;
            default -> throw new IllegalArgumentException(
                "heddle.failpoints=" + setting + " action=" + word + " must be one of kill, pause, fail");
        };
    }

    private static String setting() {
        final String property = System.getProperty("heddle.failpoints");
        if (property != null) {
            return property;
        }
        final String environment = System.getenv("HEDDLE_FAILPOINTS");
        return environment == null ? "" : environment;
    }
}
