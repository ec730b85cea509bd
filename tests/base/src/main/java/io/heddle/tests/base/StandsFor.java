package io.heddle.tests.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says which items of the conformance checklist a test stands for: {@code section/name} for a test of UCX, as in
 * {@code 6.6/zero_send}, or the id of a failure scenario, as in {@code M1}.
 *
 * <p>The items are in {@code tests/conformance/src/test/resources/conformance/checklist.txt}; a test there compares the
 * two both ways. Give the items as plain string literals: they are read from the source.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface StandsFor {
    /** The items. */
    String[] value();
}
