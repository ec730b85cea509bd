package io.heddle.context.spi;

/**
 * What a transport offers. Immutable.
 *
 * @param maxInlineBytes    the largest record that needs no descriptor.
 * @param maxFragmentBytes  the largest single record.
 * @param keepsInPlace      whether received descriptors may be kept without copying.
 * @param claimsInPlace     whether a sender may write a record where the receiver will read it.
 * @param detectsPeerDeath  whether the end of a peer is noticed without traffic.
 * @param hasListeners      whether an interface can be given a name, and connected to by it.
 */
public record TransportCapabilities(int maxInlineBytes, int maxFragmentBytes, boolean keepsInPlace,
                                    boolean claimsInPlace, boolean detectsPeerDeath,
                                    boolean hasListeners) {
}
