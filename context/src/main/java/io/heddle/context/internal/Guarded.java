package io.heddle.context.internal;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs with the worker's {@code ThreadGuard} entered: in MULTI under the worker lock, in the other modes on the thread
 * whose turn it is.
 *
 * <p>The architecture test holds it: such a method is called only from methods that are guarded too or that enter the
 * guard themselves, and only from those may a transport or a memory pool be called. On a constructor: its maker has
 * entered the guard, or the worker is not shared yet.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.CONSTRUCTOR})
public @interface Guarded {
}
