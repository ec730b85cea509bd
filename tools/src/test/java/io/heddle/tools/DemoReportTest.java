package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ThreadMode;
import io.heddle.worker.ReleasePolicy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class DemoReportTest {
    private static final int FILE_CRC = 0x8A9136AA;
    private static final long FILE_BYTES = 32;

    private final DemoOptions options = new DemoOptions();
    private final ResultLine consumer = new ResultLine();
    private final ResultLine producer = new ResultLine();

    @BeforeEach
    void aRunWithoutFault() {
        options.mode = ThreadMode.MULTI;
        options.release = ReleasePolicy.DIRECT;
        options.repeat = 2;
        consumer.put("bytes", 2 * FILE_BYTES).put("messages", 4).put("wrong", 0)
            .put("crc", Crc32cCombiner.repeat(FILE_CRC, FILE_BYTES, 2)).put("elapsed_ns", 1_500_000_000L)
            .put("released_elsewhere", 4);
        for (final ResultLine side : new ResultLine[] {consumer, producer}) {
            side.put("in_use", 0).put("leaks", 0).put("refused", 0).put("dropped", 0).put("violations", 0);
        }
        producer.put("file_crc", FILE_CRC & 0xFFFFFFFFL).put("file_bytes", FILE_BYTES);
    }

    private DemoReport report() {
        return new DemoReport(options, consumer, producer);
    }

    @Test
    void shouldPrintTheLineThatScriptsKnow() {
        assertEquals("demo thread_mode=multi debug=false release=direct bytes=64 messages=4 seconds=1.500 MBps=0.0 "
            + "crc_ok=true released_elsewhere=4 in_use=0 leaks=0 violations=0", report().line());
    }

    @Test
    void shouldBeRightWithoutFindings() {
        assertEquals(ExitCode.RIGHT, report().exitCode());
        assertEquals(0, report().findings().size());
    }

    @Test
    void shouldFailOnAnotherChecksumWhateverElse() {
        consumer.put("crc", 1).put("violations", 1).put("leaks", 1);

        assertEquals(ExitCode.FAILED, report().exitCode());
        assertTrue(report().line().contains(" crc_ok=false "));
    }

    @Test
    void shouldFailOnAWrongChunk() {
        consumer.put("wrong", 1);

        assertEquals(ExitCode.FAILED, report().exitCode());
    }

    @Test
    void shouldFailOnTooFewBytes() {
        consumer.put("bytes", FILE_BYTES);

        assertEquals(ExitCode.FAILED, report().exitCode());
    }

    @Test
    void shouldTellAViolationFromOtherFindings() {
        consumer.put("violations", 2).put("in_use", 1);

        assertEquals(ExitCode.VIOLATION, report().exitCode());
    }

    @Test
    void shouldAuditBothProcesses() {
        producer.put("leaks", 1);
        consumer.put("in_use", 2);

        assertEquals(ExitCode.AUDIT, report().exitCode());
        assertTrue(report().line().endsWith("in_use=2 leaks=1 violations=0"));
        assertEquals(2, report().findings().size());
    }

    @Test
    void shouldAuditRefusedReleases() {
        consumer.put("refused", 3);

        assertEquals(ExitCode.AUDIT, report().exitCode());
        assertTrue(report().findings().get(0).startsWith("audit: 3 releases refused"));
    }
}
