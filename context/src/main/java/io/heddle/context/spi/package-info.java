/**
 * The transport service-provider interface: what stands under a worker, as UCT stands under UCP.
 *
 * <p>Who may call it: the {@code worker} module, under the worker's guard, and transports, which implement it.
 * Applications never do. The interface promises no shared memory; whatever goes beyond moving records is a capability
 * that a transport reports.
 */
package io.heddle.context.spi;
