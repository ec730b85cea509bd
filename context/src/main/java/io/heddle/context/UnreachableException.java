package io.heddle.context;

import java.util.Map;
import java.util.stream.Collectors;

/** No transport reaches an address; says why each one refused. Immutable. */
public final class UnreachableException extends HeddleException {
    private static final long serialVersionUID = 1L;

    /**
     * {@code refusals} has a reason for each transport's name, in the order they were asked; empty says that there is
     * no transport at all.
     */
    public UnreachableException(final String address, final Map<String, String> refusals) {
        super(Status.UNREACHABLE, "no transport reaches address=" + address + ": " + reasons(refusals));
    }

    private static String reasons(final Map<String, String> refusals) {
        if (refusals.isEmpty()) {
            return "none is available";
        }
        return refusals.entrySet().stream()
            .map(refusal -> refusal.getKey() + "=[" + refusal.getValue() + "]")
            .collect(Collectors.joining(" "));
    }
}
