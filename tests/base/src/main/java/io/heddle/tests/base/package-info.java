/**
 * What the tests of every module use: the book-keeping of what a test stands for, a repeatable seed, and the hygiene
 * that a system test must keep. Knows no other module of Heddle.
 */
package io.heddle.tests.base;
