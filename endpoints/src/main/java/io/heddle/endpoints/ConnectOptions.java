package io.heddle.endpoints;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.time.Duration;

/**
 * How to connect to a {@link Listener}. By default nothing is sent along, and where nobody listens the connection fails
 * at once. Immutable: each setter gives another object.
 */
public final class ConnectOptions {
    /** The longest {@link #applicationData()}. */
    public static final int MAX_APPLICATION_DATA_BYTES = 1024;

    private static final byte[] NO_DATA = {};

    private final byte[] applicationData;
    private final Duration waitForListener;

    /** The defaults. */
    public ConnectOptions() {
        this(NO_DATA, Duration.ZERO);
    }

    private ConnectOptions(final byte[] applicationData, final Duration waitForListener) {
        this.applicationData = applicationData;
        this.waitForListener = waitForListener;
    }

    /**
     * What the listener's handler reads before it answers.
     *
     * @throws HeddleException if it is longer than {@value #MAX_APPLICATION_DATA_BYTES} bytes.
     */
    public ConnectOptions applicationData(final byte[] data) {
        if (data.length > MAX_APPLICATION_DATA_BYTES) {
            throw new HeddleException(Status.INVALID_PARAM, "applicationDataBytes=" + data.length + " must be <= "
                + MAX_APPLICATION_DATA_BYTES);
        }
        return new ConnectOptions(data.clone(), waitForListener);
    }

    /**
     * How long the connection, not the caller, waits for somebody to listen by the name; sends queue meanwhile.
     *
     * @throws HeddleException if it is negative.
     */
    public ConnectOptions waitForListener(final Duration longest) {
        if (longest.isNegative()) {
            throw new HeddleException(Status.INVALID_PARAM, "waitForListener=" + longest + " must be >= 0");
        }
        return new ConnectOptions(applicationData, longest);
    }

    /** A fresh copy. */
    public byte[] applicationData() {
        return applicationData.clone();
    }

    /** Zero: not at all. */
    public Duration waitForListener() {
        return waitForListener;
    }
}
