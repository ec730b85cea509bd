/**
 * The {@code heddle} command from outside: every test starts it as a user would and looks at exit code, stdout and
 * stderr.
 */
package io.heddle.tests.tools;
