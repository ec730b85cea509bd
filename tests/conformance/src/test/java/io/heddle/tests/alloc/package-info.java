/** What a message costs in heap bytes: nothing, on every path, in every mode. */
package io.heddle.tests.alloc;
