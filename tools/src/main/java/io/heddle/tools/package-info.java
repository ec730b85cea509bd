/**
 * The {@code heddle} command: {@code demo}, {@code perftest}, {@code info}. It uses Heddle as an application would,
 * through the public API alone, and nothing imports it but its tests.
 */
package io.heddle.tools;
