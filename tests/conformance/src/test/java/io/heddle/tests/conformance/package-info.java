/** Tests that cross modules: the promises of the design, seen from outside. */
package io.heddle.tests.conformance;
