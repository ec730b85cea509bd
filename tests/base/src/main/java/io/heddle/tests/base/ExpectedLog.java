package io.heddle.tests.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a warning or error that a test brings about on purpose, so that {@link HygieneExtension} does not fail it.
 *
 * <p>On a method the message must be seen, unless it is {@link #optional()}; on a class it may be seen in any of its
 * tests.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(ExpectedLog.List.class)
public @interface ExpectedLog {
    /** A regular expression found somewhere in the formatted message. */
    String value();

    /** Whether a method may do without it. */
    boolean optional() default false;

    /** The container of several. */
    @Documented
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE})
    @interface List {
        /** The several. */
        ExpectedLog[] value();
    }
}
