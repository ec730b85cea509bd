/** The arrows between the packages, and where a transport or a pool may be called, as rules on the compiled classes. */
package io.heddle.tests.conformance.architecture;
