package io.heddle.context.internal;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs on the thread that holds the dispatcher token, without the worker lock, and only looks: it may read lanes and
 * changes neither lane, pool nor worker state.
 *
 * <p>This is the one exemption from {@link Guarded} for calls of a transport. The architecture test lets such a method
 * call the transport SPI but no {@link Guarded} method and no memory pool.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface TokenHolder {
}
