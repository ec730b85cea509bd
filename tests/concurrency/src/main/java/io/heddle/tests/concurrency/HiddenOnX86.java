package io.heddle.tests.concurrency;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a broken twin whose forbidden outcome x86 and its compilers do not show, and says why.
 *
 * <p>There the twin is run and its outcome only reported; on any other processor it is required.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface HiddenOnX86 {
    /** Which ordering of the processor stands in for the missing one. */
    String value();
}
