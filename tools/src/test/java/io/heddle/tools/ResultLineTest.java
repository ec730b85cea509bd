package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class ResultLineTest {
    private static ResultLine sample() {
        return new ResultLine().put("peer", "heddle").put("size", 8).put("rate_per_s", 1234.5678, 1).put("debug", false)
            .put("slices", "3/4").put("sent", "1,2");
    }

    @Test
    void shouldWritePairsInOrder() {
        assertEquals("peer=heddle size=8 rate_per_s=1234.6 debug=false slices=3/4 sent=1,2", sample().toString());
    }

    @Test
    void shouldWriteJsonWithNumbersAndTextApart() {
        assertEquals("{\"peer\":\"heddle\",\"size\":8,\"rate_per_s\":1234.6,\"debug\":false,"
            + "\"slices\":\"3/4\",\"sent\":\"1,2\"}",
            sample().toJson());
    }

    @Test
    void shouldEscapeInJson() {
        assertEquals("{\"a\":\"x\\\"y\\\\z\"}", new ResultLine().put("a", "x\"y\\z").toJson());
    }

    @Test
    void shouldQuoteWhatIsNoJsonNumber() {
        assertEquals("{\"a\":\"007\",\"b\":-1,\"c\":\"NaN\",\"d\":0.50}",
            new ResultLine().put("a", "007").put("b", -1).put("c", "NaN").put("d", 0.5, 2).toJson());
    }

    @Test
    void shouldReadBackWhatItWrote() {
        final ResultLine read = ResultLine.parse("demo " + sample());

        assertEquals(sample().toString(), read.toString());
        assertEquals(8, read.number("size"));
    }

    @Test
    void shouldWritePointsWhateverTheLocale() {
        final Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertEquals("a=1.50", new ResultLine().put("a", 1.5, 2).toString());
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void shouldSayWhichKeyIsMissing() {
        assertEquals("no b= in the result: a=1",
            assertThrows(ToolException.class, () -> ResultLine.parse("a=1").number("b")).getMessage());
    }
}
