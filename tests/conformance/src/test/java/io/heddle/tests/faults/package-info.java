/**
 * The failures that users of such systems have met, as tests: one class per scenario, named by {@code @StandsFor}, in
 * every thread mode where that makes a difference. For nobody else.
 */
package io.heddle.tests.faults;
