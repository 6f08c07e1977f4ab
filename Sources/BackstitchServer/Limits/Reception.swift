import Backstitch
import CloudWire
import CoreMetrics

/// Lets requests in, and gives each user no more than a share of the machine.
///
/// Work on a request is what costs: reading its JSON, the storage, writing the answer. Large requests are few at a
/// time, since each takes many times its bytes; small ones do not wait for them. It is done on threads of its own, one
/// for each request that is let in, so who comes in with little gets a share of the cores at once, whatever the others
/// do.
struct Reception: Sendable {
    private let ledger: UserLedger
    private let clock: any WallClock
    private let runner: any WorkRunner
    private let metrics: ServerMetrics
    private static let room = (small: 8, large: 2)
    private let small = FairGate(total: Self.room.small, perUser: 3)
    private let large = FairGate(total: Self.room.large, perUser: 1)
    private let threads = RequestThreads(count: Self.room.small + Self.room.large)

    init(
        ledger: UserLedger, clock: any WallClock, runner: any WorkRunner = ThreadRunner(),
        metrics: ServerMetrics = ServerMetrics()
    ) {
        self.ledger = ledger
        self.clock = clock
        self.runner = runner
        self.metrics = metrics
    }

    /// How many requests wait for their turn.
    var waiting: Int { small.waiting + large.waiting }

    /// - Parameter address: The machine that asks.
    /// - Throws: THROTTLED when the user asks too often or for too much at a time.
    func admit(_ user: String, from address: String) throws(WireError) -> RequestPass {
        try RequestPass(user, from: address, ledger, clock: clock, runner: runner)
    }

    /// Counts a request that costs little while it is answered, or is long on its way: a long poll, or a download.
    ///
    /// - Throws: THROTTLED when the user asks too often.
    func count(_ user: String) throws(WireError) {
        try ledger.countRequest(of: user, at: clock.uptime())
    }

    /// Does the work on a request when it is its turn.
    func work<Value: Sendable>(
        for user: String, bytes: Int, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let isLarge = bytes > Self.smallBytes
        let meters = isLarge ? metrics.large : metrics.small
        meters.waiting.increment()
        return try await (isLarge ? large : small).run(for: user) {
            meters.waiting.decrement()
            meters.running.increment()
            defer { meters.running.decrement() }
            return try await runner.handle(on: threads, body)
        }
    }

    /// Bytes of a request that is not large.
    private static let smallBytes = 256 << 10
}
