package io.heddle.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(10)
class PlacementTest {
    @ParameterizedTest
    @CsvSource({"47,smt", "69.9,smt", "70,ccx", "110,ccx", "199.9,ccx", "200,far", "490,far"})
    void shouldTellHowFarApartCoresAre(final double roundTripNs, final String expected) {
        assertEquals(expected, Placement.of(roundTripNs).toString());
    }
}
