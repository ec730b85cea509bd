/**
 * The shared-memory transport: one segment per connection, found by {@code ServiceLoader} under the name {@code shm}.
 *
 * <p>Control side: {@link io.heddle.shm.ControlThread}, one per context, owns the Unix-domain sockets, makes, maps and
 * unmaps segments, and posts what happened to the inbox of a {@link io.heddle.shm.ShmInterface}. Data side: {@link
 * io.heddle.shm.ShmLane} and what it stands on. Nothing is public but the provider; nobody imports this package but
 * tests.
 */
package io.heddle.shm;
