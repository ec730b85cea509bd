/**
 * The inner side of the context module: process identity, the runtime directory. For Heddle's own modules only; nothing
 * here is kept compatible for applications.
 */
package io.heddle.context.internal;
