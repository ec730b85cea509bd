/** What the README shows is compiled and run. */
package io.heddle.tests.conformance.readme;
