/** A way into the shared words of live lanes, for tests that play a hostile peer. */
package io.heddle.shm;
