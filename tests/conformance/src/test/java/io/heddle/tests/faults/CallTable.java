package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.ConnectOptions;
import io.heddle.endpoints.ConnectionRequest;
import io.heddle.endpoints.Endpoint;
import io.heddle.endpoints.Listener;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.BufferVector;
import io.heddle.worker.Claim;
import io.heddle.worker.Connection;
import io.heddle.worker.HandlerPool;
import io.heddle.worker.NamedListener;
import io.heddle.worker.PendingConnection;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.ReleasePolicy;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * Every public call of {@link PublicCalls}, by its signature: whether it is a use of the worker, so that in SINGLE only
 * the owner may make it, or any thread's in every mode; and how it is made. Long, as the API is. Immutable.
 */
final class CallTable {
    private static final Duration SHORT = Duration.ofMillis(1);

    /** A call that is ready to be made, on whatever thread. */
    @FunctionalInterface
    interface Call {
        void make() throws Exception;
    }

    /** Gets ready, on a thread that may use the workers. */
    @FunctionalInterface
    interface Preparation {
        Call prepare(CallProps props) throws Exception;
    }

    /** A call within the handler of a message. */
    @FunctionalInterface
    interface InHandler {
        void make(ActiveMessage message);
    }

    /** How a call is made, and whether it is a use of the worker. */
    record Entry(boolean isUse, Preparation preparation) {
    }

    private static final String SETTING_UP = "makes or ends the context under all workers; thread safe, see CloseTest "
        + "and CloseContextTest";
    private static final String IN_HANDLER = "of the dispatching thread within the handler; touches nothing but the "
        + "message at hand";

    /** Why it is in neither table. */
    static final Map<String, String> EXEMPT = Map.ofEntries(
        Map.entry("Context.create()", SETTING_UP), Map.entry("Context.create(ContextConfig)", SETTING_UP),
        Map.entry("Context.close()", SETTING_UP), Map.entry("Context.close(CloseMode,Duration)", SETTING_UP),
        Map.entry("Context.register(Dependent)", SETTING_UP), Map.entry("Context.unregister(Dependent)", SETTING_UP),
        Map.entry("ActiveMessage.id()", IN_HANDLER), Map.entry("ActiveMessage.header()", IN_HANDLER),
        Map.entry("ActiveMessage.data()", IN_HANDLER), Map.entry("ActiveMessage.lengthBytes()", IN_HANDLER),
        Map.entry("ActiveMessage.isReplyWanted()", IN_HANDLER), Map.entry("ActiveMessage.connection()", IN_HANDLER),
        Map.entry("ActiveMessage.copyTo(MutableDirectBuffer,int)", IN_HANDLER),
        Map.entry("ActiveMessage.postpone()", IN_HANDLER), Map.entry("Endpoint.replyTo(ActiveMessage)", IN_HANDLER));

    /** Uses of the worker that are made within a handler, while the message is there. */
    static final Map<String, InHandler> IN_HANDLERS = Map.of(
        "ActiveMessage.retain()", message -> message.retain().close(),
        "ActiveMessage.retainInto(ReceivedData)", message -> {
            final ReceivedData mine = new ReceivedData();
            message.retainInto(mine);
            mine.close();
        });

    private final Map<String, Entry> entries = new TreeMap<>();

    CallTable() {
        addContext();
        addWorker();
        addOwnership();
        addWorkerState();
        addEndpoint();
        addEndpointState();
        addConnection();
        addConnectionState();
        addRequest();
        addClaim();
        addReceivedData();
        addListener();
        addNamedListener();
        addConnectionRequest();
        addPendingConnection();
        addProgressThread();
        addHandlerPool();
        addHandlerPoolBuilder();
    }

    Map<String, Entry> entries() {
        return Collections.unmodifiableMap(entries);
    }

    /** A use of the worker. */
    private void use(final String signature, final Preparation preparation) {
        entries.put(signature, new Entry(true, preparation));
    }

    /** Any thread, in every mode. */
    private void any(final String signature, final Preparation preparation) {
        entries.put(signature, new Entry(false, preparation));
    }

    private void addContext() {
        any("Context.config()", p -> () -> p.stage.rig.context.config().toString());
        any("Context.isClosed()", p -> p.stage.rig.context::isClosed);
        any("Context.isCheckingThreads()", p -> Context::isCheckingThreads);
        any("Context.counters()", p -> () -> p.stage.rig.context.counters().file());
        any("Context.transports()", p -> p.stage.rig.context::transports);
        any("Context.unusedTransports()", p -> p.stage.rig.context::unusedTransports);
        any("Context.describe()", p -> p.stage.rig.context::describe);
        any("Context.describeLayout()", p -> p.stage.rig.context::describeLayout);
    }

    private void addWorker() {
        any("Worker.create(Context,ThreadMode)", p -> () -> Worker.create(p.stage.rig.context, p.mode()).close());
        any("Worker.create(Context,ThreadMode,String)",
            p -> () -> Worker.create(p.stage.rig.context, p.mode(), p.freshName()).close());
        use("Worker.onActiveMessage(int,ActiveMessageHandler)",
            p -> () -> p.worker.onActiveMessage(100 + p.random.nextInt(9), message -> { }));
        use("Worker.progress()", p -> p.worker::progress);
        use("Worker.agent()", p -> () -> p.worker.agent().doWork()); // the agent's work is
        use("Worker.arm()", p -> p.worker::arm);
        use("Worker.flush()", p -> p.worker::flush);
        use("Worker.connect(WorkerAddress)", p -> () -> p.closing(p.worker.connect(p.stage.rig.receiver.address())));
        use("Worker.connect(String,byte[],long)", p -> () -> p.closing(p.worker.connect("nobody", new byte[2], 0)));
        use("Worker.listen(String,PendingConnectionHandler)", p -> {
            final String name = p.freshName();
            return () -> p.closing(p.worker.listen(name, request -> request.reject("only a test")));
        });
        use("Worker.close()", p -> p.freshWorker()::close);
        use("Worker.close(CloseMode,Duration)", p -> {
            final Worker fresh = p.freshWorker();
            return () -> fresh.close(CloseMode.FORCE, Rig.LIMIT);
        });
    }

    private void addOwnership() {
        use("Worker.transferTo(Thread)", p -> {
            final Worker fresh = p.freshWorker();
            final Thread owner = Thread.currentThread();
            return () -> fresh.transferTo(owner);
        });
        use("Worker.detach()", p -> p.freshWorker()::detach);
        any("Worker.attach()", p -> {
            final Worker fresh = p.freshWorker();
            fresh.detach();
            return fresh::attach;
        });
        any("Worker.ownerThread()", p -> p.worker::ownerThread);
    }

    private void addWorkerState() {
        any("Worker.name()", p -> p.worker::name);
        any("Worker.threadMode()", p -> p.worker::threadMode);
        any("Worker.context()", p -> p.worker::context);
        any("Worker.address()", p -> () -> p.worker.address().toHex());
        any("Worker.maxHeaderBytes()", p -> p.worker::maxHeaderBytes);
        any("Worker.maxMessageBytes()", p -> p.worker::maxMessageBytes);
        any("Worker.maxApplicationDataBytes()", p -> p.worker::maxApplicationDataBytes);
        any("Worker.onError(WorkerErrorHandler)",
            p -> () -> p.worker.onError((worker, connection, status, error) -> p.stage.tell(error)));
        any("Worker.await(Duration)", p -> () -> p.worker.await(SHORT));
        any("Worker.signal()", p -> p.worker::signal);
        any("Worker.selectableChannel()", p -> p.worker::selectableChannel);
        any("Worker.statistics()", p -> p.worker::statistics);
        any("Worker.describe()", p -> p.worker::describe);
        any("Worker.isClosed()", p -> p.worker::isClosed);
        any("Worker.toString()", p -> p.worker::toString);
    }

    private void addEndpoint() {
        use("Endpoint.create(Worker,WorkerAddress)",
            p -> () -> p.closing(Endpoint.create(p.worker, p.stage.rig.receiver.address())));
        use("Endpoint.create(Worker,String)", p -> () -> p.closing(Endpoint.create(p.worker, "nobody")));
        use("Endpoint.create(Worker,String,ConnectOptions)",
            p -> () -> p.closing(Endpoint.create(p.worker, "nobody", new ConnectOptions())));
        use("Endpoint.sendActiveMessage(int,DirectBuffer,DirectBuffer,int,int)",
            p -> () -> p.endpoint.sendActiveMessage(Rig.ID, null, p.data, 0, p.size()));
        use("Endpoint.sendActiveMessage(int,DirectBuffer,DirectBuffer,int,int,CompletionHandler)",
            p -> () -> p.endpoint.sendActiveMessage(Rig.ID, null, p.data, 0, p.size(), (request, status) -> { }));
        use("Endpoint.sendActiveMessage(int,int,DirectBuffer,DirectBuffer,int,int,CompletionHandler,Object)",
            p -> () -> p.endpoint.sendActiveMessage(Rig.ID, 0, null, p.data, 0, p.size(), null, p));
        use("Endpoint.sendActiveMessage(int,DirectBuffer,BufferVector,CompletionHandler)",
            p -> () -> p.endpoint.sendActiveMessage(Rig.ID, null, new BufferVector().add(p.data, 0, p.size()), null));
        use("Endpoint.trySendActiveMessage(int,DirectBuffer,DirectBuffer,int,int)",
            p -> () -> p.endpoint.trySendActiveMessage(Rig.ID, null, p.data, 0, p.size()));
        use("Endpoint.tryClaim(int,int,Claim)", p -> {
            final Endpoint fresh = p.freshEndpoint(); // whose close aborts it
            p.stage.rig.until("connected", fresh::isConnected);
            return () -> fresh.tryClaim(Rig.ID, 64, new Claim());
        });
        use("Endpoint.flush()", p -> p.endpoint::flush);
        use("Endpoint.resume()", p -> p.endpoint::resume);
        use("Endpoint.isWritable()", p -> p.endpoint::isWritable);
        use("Endpoint.onWritable(Runnable)", p -> () -> p.endpoint.onWritable(() -> { }));
        use("Endpoint.close()", p -> p.freshEndpoint()::close);
        use("Endpoint.close(CloseMode,Duration)", p -> {
            final Endpoint fresh = p.freshEndpoint();
            return () -> fresh.close(CloseMode.FORCE, Rig.LIMIT);
        });
    }

    private void addEndpointState() {
        any("Endpoint.of(Connection)", p -> () -> Endpoint.of(p.connection));
        any("Endpoint.maxClaimBytes()", p -> p.endpoint::maxClaimBytes);
        any("Endpoint.onError(EndpointErrorHandler)", p -> () -> p.endpoint.onError(null));
        any("Endpoint.isConnected()", p -> p.endpoint::isConnected);
        any("Endpoint.isClosed()", p -> p.endpoint::isClosed);
        any("Endpoint.status()", p -> p.endpoint::status);
        any("Endpoint.failure()", p -> p.endpoint::failure);
        any("Endpoint.worker()", p -> p.endpoint::worker);
        any("Endpoint.userData()", p -> p.endpoint::userData);
        any("Endpoint.userData(Object)", p -> () -> p.endpoint.userData(p));
        any("Endpoint.describe()", p -> p.endpoint::describe);
        any("Endpoint.toString()", p -> p.endpoint::toString);
    }

    private void addConnection() {
        use("Connection.send(int,int,DirectBuffer,DirectBuffer,int,int,CompletionHandler,Object)",
            p -> () -> p.connection.send(Rig.ID, 0, null, p.data, 0, p.size(), null, null));
        use("Connection.send(int,int,DirectBuffer,BufferVector,CompletionHandler,Object)",
            p -> () -> p.connection.send(Rig.ID, 0, null, new BufferVector().add(p.data, 0, p.size()), null, null));
        use("Connection.trySend(int,int,DirectBuffer,DirectBuffer,int,int)",
            p -> () -> p.connection.trySend(Rig.ID, 0, null, p.data, 0, p.size()));
        use("Connection.tryClaim(int,int,int,Claim)", p -> () -> {
            final Claim claim = new Claim();
            if (p.connection.tryClaim(Rig.ID, 0, 64, claim) == Status.OK) {
                claim.commit();
            }
        });
        use("Connection.flush()", p -> p.connection::flush);
        use("Connection.resume()", p -> p.connection::resume);
        use("Connection.isWritable()", p -> p.connection::isWritable);
        use("Connection.onWritable(Runnable)", p -> () -> p.connection.onWritable(() -> { }));
        use("Connection.close(CloseMode,Duration)", p -> {
            final Connection fresh = p.freshConnection();
            return () -> fresh.close(CloseMode.FORCE, Rig.LIMIT);
        });
    }

    private void addConnectionState() {
        any("Connection.maxClaimBytes()", p -> p.connection::maxClaimBytes);
        any("Connection.onError(ConnectionErrorHandler)", p -> () -> p.connection.onError(null));
        any("Connection.isConnected()", p -> p.connection::isConnected);
        any("Connection.isClosed()", p -> p.connection::isClosed);
        any("Connection.isFailed()", p -> p.connection::isFailed);
        any("Connection.status()", p -> p.connection::status);
        any("Connection.failure()", p -> p.connection::failure);
        any("Connection.worker()", p -> p.connection::worker);
        any("Connection.peer()", p -> p.connection::peer);
        any("Connection.userData()", p -> p.connection::userData);
        any("Connection.userData(Object)", p -> () -> p.connection.userData(p));
        any("Connection.wrapper()", p -> p.connection::wrapper);
        any("Connection.wrapper(Object)", p -> () -> p.connection.wrapper(null));
        any("Connection.describe()", p -> p.connection::describe);
        any("Connection.toString()", p -> p.connection::toString);
    }

    private void addRequest() {
        use("Request.await(Duration)", p -> {
            final Request pending = p.pending();
            return () -> pending.await(SHORT);
        });
        use("Request.cancel()", p -> p.pending()::cancel);
        any("Request.isDone()", p -> p.pending()::isDone);
        any("Request.status()", p -> p.pending()::status);
        any("Request.userData()", p -> p.pending()::userData);
        any("Request.toString()", p -> p.pending()::toString);
    }

    private void addClaim() {
        use("Claim.commit()", p -> p.claim()::commit);
        use("Claim.commit(int)", p -> {
            final Claim claim = p.claim();
            return () -> claim.commit(8);
        });
        use("Claim.abort()", p -> p.claim()::abort);
        any("Claim.isOpen()", p -> p.claim()::isOpen);
        any("Claim.lengthBytes()", p -> p.claim()::lengthBytes);
        any("Claim.putByte(int,byte)", p -> {
            final Claim claim = p.claim();
            return () -> claim.putByte(0, (byte) 1);
        });
        any("Claim.putInt(int,int)", p -> {
            final Claim claim = p.claim();
            return () -> claim.putInt(0, 1);
        });
        any("Claim.putLong(int,long)", p -> {
            final Claim claim = p.claim();
            return () -> claim.putLong(0, 1);
        });
        any("Claim.putBytes(int,DirectBuffer,int,int)", p -> {
            final Claim claim = p.claim();
            return () -> claim.putBytes(0, p.data, 0, 64);
        });
        any("Claim.putBytes(int,byte[],int,int)", p -> {
            final Claim claim = p.claim();
            return () -> claim.putBytes(0, new byte[64], 0, 64);
        });
    }

    private void addReceivedData() {
        use("ReceivedData.retain()", p -> {
            final ReceivedData kept = p.kept();
            return () -> p.closing(kept.retain());
        });
        use("ReceivedData.release()", p -> p.kept()::release);
        any("ReceivedData.releaseAsync()", p -> p.kept()::releaseAsync);
        any("ReceivedData.close()", p -> p.kept()::close);
        any("ReceivedData.data()", p -> {
            final ReceivedData kept = p.kept();
            return () -> kept.data().getBytes(0, new byte[(int) kept.lengthBytes()]);
        });
        any("ReceivedData.lengthBytes()", p -> p.kept()::lengthBytes);
        any("ReceivedData.isHeld()", p -> p.kept()::isHeld);
        any("ReceivedData.memoryAddress()", p -> p.kept()::memoryAddress);
    }

    private void addListener() {
        use("Listener.create(Worker,String,ConnectionRequestHandler)", p -> {
            final String name = p.freshName();
            return () -> p.closing(Listener.create(p.worker, name, request -> request.reject("only a test")));
        });
        use("Listener.close()", p -> p.listener()::close);
        use("Listener.close(CloseMode,Duration)", p -> {
            final Listener listener = p.listener();
            return () -> listener.close(CloseMode.FORCE, Rig.LIMIT);
        });
        any("Listener.name()", p -> p.listener()::name);
        any("Listener.worker()", p -> p.listener()::worker);
        any("Listener.isClosed()", p -> p.listener()::isClosed);
        any("Listener.toString()", p -> p.listener()::toString);
    }

    private void addNamedListener() {
        use("NamedListener.close(CloseMode,Duration)", p -> {
            final NamedListener listener = p.namedListener();
            return () -> listener.close(CloseMode.FORCE, Rig.LIMIT);
        });
        any("NamedListener.name()", p -> p.namedListener()::name);
        any("NamedListener.worker()", p -> p.namedListener()::worker);
        any("NamedListener.isClosed()", p -> p.namedListener()::isClosed);
        any("NamedListener.toString()", p -> p.namedListener()::toString);
    }

    private void addConnectionRequest() {
        use("ConnectionRequest.accept()", p -> {
            final ConnectionRequest request = p.connectionRequest();
            return () -> p.closing(request.accept());
        });
        use("ConnectionRequest.reject(String)", p -> {
            final ConnectionRequest request = p.connectionRequest();
            return () -> request.reject("only a test");
        });
        any("ConnectionRequest.isAnswered()", p -> p.connectionRequest()::isAnswered);
        any("ConnectionRequest.isWaiting()", p -> p.connectionRequest()::isWaiting);
        any("ConnectionRequest.peerProcessId()", p -> p.connectionRequest()::peerProcessId);
        any("ConnectionRequest.peerUser()", p -> p.connectionRequest()::peerUser);
        any("ConnectionRequest.applicationData()", p -> p.connectionRequest()::applicationData);
        any("ConnectionRequest.toString()", p -> p.connectionRequest()::toString);
    }

    private void addPendingConnection() {
        use("PendingConnection.accept()", p -> {
            final PendingConnection request = p.pendingConnection();
            return () -> p.closing(request.accept());
        });
        use("PendingConnection.reject(String)", p -> {
            final PendingConnection request = p.pendingConnection();
            return () -> request.reject("only a test");
        });
        any("PendingConnection.isAnswered()", p -> p.pendingConnection()::isAnswered);
        any("PendingConnection.isWaiting()", p -> p.pendingConnection()::isWaiting);
        any("PendingConnection.peerProcessId()", p -> p.pendingConnection()::peerProcessId);
        any("PendingConnection.peerUser()", p -> p.pendingConnection()::peerUser);
        any("PendingConnection.applicationData()", p -> p.pendingConnection()::applicationData);
        any("PendingConnection.toString()", p -> p.pendingConnection()::toString);
    }

    private void addProgressThread() {
        use("ProgressThread.start(Worker)", p -> {
            final Worker fresh = p.freshWorker();
            return () -> startIf(p.mode() != ThreadMode.SERIALIZED, p, () -> ProgressThread.start(fresh));
        });
        // In SINGLE the lock is refused, whoever calls, before the worker is touched.
        any("ProgressThread.start(Worker,Lock)", p -> {
            final Worker fresh = p.freshWorker();
            return () -> startIf(p.mode() == ThreadMode.SERIALIZED, p,
                () -> ProgressThread.start(fresh, new ReentrantLock()));
        });
        use("ProgressThread.start(Worker,IdleStrategy)", p -> {
            final Worker fresh = p.freshWorker();
            return () -> startIf(p.mode() != ThreadMode.SERIALIZED, p,
                () -> ProgressThread.start(fresh, BusySpinIdleStrategy.INSTANCE));
        });
        use("ProgressThread.start(Worker,Lock,IdleStrategy)", p -> {
            final Worker fresh = p.freshWorker();
            final Lock lock = p.mode() == ThreadMode.SERIALIZED ? new ReentrantLock() : null;
            final IdleStrategy byDefault = null;
            return () -> p.closing(ProgressThread.start(fresh, lock, byDefault));
        });
        any("ProgressThread.thread()", p -> p.progressThread()::thread);
        any("ProgressThread.worker()", p -> p.progressThread()::worker);
        any("ProgressThread.execute(Runnable)", p -> {
            final ProgressThread progress = p.progressThread();
            return () -> progress.execute(() -> { }).get();
        });
        any("ProgressThread.close()", p -> p.progressThread()::close);
        any("ProgressThread.close(CloseMode,Duration)", p -> {
            final ProgressThread progress = p.progressThread();
            return () -> progress.close(CloseMode.FORCE, Rig.LIMIT);
        });
    }

    /** Where the mode does not fit, that is what it says. */
    private static void startIf(final boolean isFit, final CallProps props,
        final Supplier<ProgressThread> start) {
        if (isFit) {
            props.closing(start.get());
        } else {
            assertEquals(Status.INVALID_PARAM, assertThrows(HeddleException.class, start::get).status());
        }
    }

    private static HandlerPool.Builder builder(final CallProps props) {
        return HandlerPool.builder(props.worker).handler((id, data, connection) -> { });
    }

    private static HandlerPool pool(final CallProps props) {
        return props.closing(builder(props).start());
    }

    private void addHandlerPool() {
        any("HandlerPool.builder(Worker)", p -> () -> HandlerPool.builder(p.worker));
        any("HandlerPool.asHandler()", p -> pool(p)::asHandler);
        any("HandlerPool.handled()", p -> pool(p)::handled);
        any("HandlerPool.close()", p -> pool(p)::close);
        any("HandlerPool.close(CloseMode,Duration)", p -> {
            final HandlerPool pool = pool(p);
            return () -> pool.close(CloseMode.FORCE, Rig.LIMIT);
        });
    }

    private void addHandlerPoolBuilder() {
        any("Builder.handlers(int)", p -> () -> builder(p).handlers(2));
        any("Builder.ordered(boolean)", p -> () -> builder(p).ordered(false));
        any("Builder.capacity(int)", p -> () -> builder(p).capacity(2));
        any("Builder.releasePolicy(ReleasePolicy)", p -> () -> builder(p).releasePolicy(ReleasePolicy.ASYNC));
        any("Builder.applicationLock(Lock)", p -> () -> builder(p).applicationLock(new ReentrantLock()));
        any("Builder.handler(PooledHandler)", p -> () -> builder(p));
        any("Builder.start()", p -> () -> pool(p));
    }
}
