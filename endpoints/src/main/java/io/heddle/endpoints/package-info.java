/**
 * What an application imports: endpoints and the operations on them.
 *
 * <p>Who may call it: applications, by the rules of the worker's {@link io.heddle.context.ThreadMode}.
 */
package io.heddle.endpoints;
