/**
 * jcstress tests of every lock-free structure, and what runs them.
 *
 * <p>The convention: {@code SomethingTest} holds what must never be seen and is run by {@code mvn verify} (short) and
 * {@code mvn verify -Pstress} (at full length). Its twin {@code SomethingBrokenTest}, with {@code Broken} in its class
 * or package name, is the same test on the structure with its one decisive access weakened; it carries the same
 * outcomes, and {@code -Pstress} requires that a forbidden one is seen, which shows that the test could see it.
 * {@code mvn verify} only compiles twins. A twin whose error the processor's own ordering hides says so by
 * {@link io.heddle.tests.concurrency.HiddenOnX86}. At most two actors a test: the machine that must run them has two
 * cores, and jcstress leaves out what has more.
 */
package io.heddle.tests.concurrency;
