package io.heddle.tests.concurrency;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import org.openjdk.jcstress.infra.runners.TestList;

/** The jcstress tests of this module, sorted by the convention of the package. Immutable, all static. */
final class JcstressTests {
    /** Matches no twin. */
    static final String CORRECT = "^(?!.*Broken).*";
    /** Matches twins only. */
    static final String BROKEN = ".*Broken.*";
    /** The twin that cannot pass. */
    static final String SELF_CHECK = SelfCheckBrokenTest.class.getName();

    private JcstressTests() {
    }

    /** Names of the tests whose forbidden outcomes must never be seen. */
    static List<String> correct() {
        return matching(CORRECT);
    }

    /** Names of the twins whose forbidden outcome must be seen on this processor. */
    static List<String> brokenHere() {
        return matching(BROKEN).stream().filter(name -> !isX86() || hidden(name) == null).collect(Collectors.toList());
    }

    /** Names of the twins whose forbidden outcome this processor hides. */
    static List<String> brokenButHidden() {
        return matching(BROKEN).stream().filter(name -> isX86() && hidden(name) != null).collect(Collectors.toList());
    }

    /** Why x86 hides the twin's error, or null if it does not. */
    static String hidden(final String name) {
        try {
            final HiddenOnX86 mark = classOf(name).getAnnotation(HiddenOnX86.class);
            return mark == null ? null : mark.value();
        } catch (final ClassNotFoundException ex) {
            throw new IllegalStateException("a listed jcstress test has no class: name=" + name, ex);
        }
    }

    /** jcstress writes a nested class with a dot. */
    private static Class<?> classOf(final String name) throws ClassNotFoundException {
        final int last = name.lastIndexOf('.');
        final boolean isNested = Character.isUpperCase(name.charAt(name.lastIndexOf('.', last - 1) + 1));
        return Class.forName(isNested ? name.substring(0, last) + '$' + name.substring(last + 1) : name);
    }

    private static boolean isX86() {
        final String architecture = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return architecture.equals("amd64") || architecture.equals("x86_64") || architecture.equals("x86");
    }

    private static List<String> matching(final String regex) {
        return TestList.tests().stream().filter(name -> name.matches(regex)).sorted().collect(Collectors.toList());
    }
}
