package io.heddle.context;

/** Direct memory, counted. */
final class RecordingAllocator implements ChunkAllocator {
    private final ChunkAllocator direct = ChunkAllocator.direct();
    long extraBytes;
    long requestedBytes;
    long givenBytes;
    int allocated;
    int freed;

    @Override
    public Chunk allocate(final long minBytes) {
        requestedBytes += minBytes;
        final Chunk chunk = direct.allocate(minBytes + extraBytes);
        givenBytes += chunk.bytes();
        allocated++;
        return new Chunk(chunk.address(), chunk.bytes(), chunk.buffer(), () -> {
            freed++;
            chunk.memory().close();
        });
    }
}
