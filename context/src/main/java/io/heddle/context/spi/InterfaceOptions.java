package io.heddle.context.spi;

import io.heddle.context.internal.ReturnStack;

/**
 * What a worker fixes when it opens its side of a transport. Immutable.
 *
 * @param workerId   random number naming the worker on this host.
 * @param workerName for messages and thread names.
 * @param owner      the worker, as attachment of every pool whose elements it hands out.
 * @param returns    where released elements arrive; drained by the worker, which gives them back by {@link
 *     Lane#recycle}.
 * @param wakeUp     any thread calls it after it has posted something that {@link TransportInterface#hasEvents()}
 *     shows; never blocks, never throws.
 */
public record InterfaceOptions(long workerId, String workerName, Object owner, ReturnStack returns, Runnable wakeUp) {
}
