/**
 * Two JVMs, steered line by line by a test, whose messages all carry sender, sequence and CRC32C. For the tests of this
 * module.
 */
package io.heddle.tests.pair;
