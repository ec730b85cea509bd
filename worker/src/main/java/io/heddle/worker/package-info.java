/**
 * The engine: workers, progress, dispatch, requests, received data, progress threads and handler pools.
 *
 * <p>Who may call it: applications, by the rules of the worker's {@link io.heddle.context.ThreadMode}; {@code
 * Connection} is for the {@code endpoints} module, which wraps it.
 */
package io.heddle.worker;
