package io.heddle.context;

import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Where settings come from besides the setters. Immutable itself; what it looks at may change.
 *
 * @param property a system property by name, or null
 * @param propertyNames the names of all system properties
 * @param environment an environment variable by name, or null
 * @param environmentNames the names of all environment variables
 */
record ConfigSources(
    Function<String, String> property,
    Supplier<Set<String>> propertyNames,
    Function<String, String> environment,
    Supplier<Set<String>> environmentNames) {

    /** Those of this JVM. */
    static final ConfigSources JVM = new ConfigSources(
        System::getProperty,
        () -> System.getProperties().stringPropertyNames(),
        System::getenv,
        () -> System.getenv().keySet());

    static ConfigSources of(final Map<String, String> properties, final Map<String, String> environment) {
        return new ConfigSources(properties::get, properties::keySet, environment::get, environment::keySet);
    }
}
