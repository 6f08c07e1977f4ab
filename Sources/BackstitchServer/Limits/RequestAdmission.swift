import Backstitch
import CloudWire
import CoreMetrics

/// Admits requests, and gives each user no more than a share of the machine.
///
/// The cost of a request is the work on it: reading its JSON, the storage, and writing the answer. Few large requests
/// run at a time, since each takes many times its bytes. Small ones do not wait for them. The work has threads of its
/// own, one for each admitted request. So a small request gets a share of the cores at once, even beside large ones.
struct RequestAdmission: Sendable {
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

    /// The number of requests waiting for their turn.
    var waiting: Int { small.waiting + large.waiting }

    /// Admits a request of a user.
    ///
    /// - Parameter address: The machine of the caller.
    /// - Throws: THROTTLED if the user has too many requests, in a second or at a time.
    func admit(_ user: String, from address: String) throws(WireError) -> RequestPass {
        try RequestPass(user, from: address, ledger, clock: clock, runner: runner)
    }

    /// Counts a request with little work or a long duration: a long poll, or a download.
    ///
    /// - Throws: THROTTLED if the user asks too often.
    func count(_ user: String) throws(WireError) {
        try ledger.countRequest(of: user, at: clock.uptime())
    }

    /// Does the work on a request at its turn.
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

    /// Most bytes of a small request.
    private static let smallBytes = 256 << 10
}
