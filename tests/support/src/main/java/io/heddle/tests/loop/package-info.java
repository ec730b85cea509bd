/**
 * The second transport, written against the SPI alone: all in one process, and steered by the test. With it stand the
 * suites that every transport must pass.
 *
 * <p>Who may use it: tests. Start at {@link io.heddle.tests.loop.SteeredScope} to get hold of the transport that a
 * context opens, at
 * {@link io.heddle.tests.loop.Steering} for what can be steered, and at {@link io.heddle.tests.loop.LaneContract} for
 * the suite.
 */
package io.heddle.tests.loop;
