package io.heddle.context.spi;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of the SPI that any thread may call, without the worker's guard; on a type, all of its methods.
 *
 * <p>Everything else of the SPI is called in a guarded section only, which the architecture test holds. An
 * implementation makes a method so marked safe for any thread, and lets it change nothing that the guard protects;
 * what it tells may be out of date when the caller has it.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface AnyThread {
}
