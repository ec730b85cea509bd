/**
 * The book-keeping of what the tests stand for: the list of UCX's tests and of reported failures, the annotations in
 * the sources, and the page made of both.
 */
package io.heddle.tests.conformance.checklist;
