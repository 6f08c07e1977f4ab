import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import Logging

/// A synced store whose line leads to the server of a scenario.
final class ScenarioStore: StoreLayer {
    /// The line on which a store is opened, and the clock and the chance beside it.
    struct Line: Sendable {
        let transport: any Transport
        let clock: any WallClock
        let seed: UInt64
    }

    static let typeName = "Scenario"
    /// Where the server seems to be.
    static let address = "http://127.0.0.1:8080"
    @TaskLocal static var line: Line?
    /// The logger of opened stores and their containers.
    @TaskLocal static var logger = Logger(label: "backstitch.sync")

    let synced: SyncStore
    var base: any PersistentStore { synced }

    static func optionSpecifications(
        for options: [StoreOption: any Sendable]
    ) throws -> [OptionSpecification] {
        try SyncStore.optionSpecifications(for: options)
    }

    init(_ configuration: StoreConfiguration) throws {
        guard let line = Self.line else {
            throw BackstitchError(.invalidRequest, "this store is opened by a device of a scenario only")
        }
        synced = try SyncStore(
            configuration, transport: line.transport, clock: line.clock, random: SeededGenerator(seed: line.seed),
            logger: Self.logger)
    }
}

/// A clock without real waiting: a sleeper moves it forward.
final class LeapingClock: WallClock {
    private let time = Locked<Int64>(0)

    func milliseconds() -> Int64 { 1_790_000_000_000 + uptime() }

    func uptime() -> Int64 { time.withLock { $0 } }

    func sleep(untilUptime end: Int64) async throws {
        await Task.yield()
        try Task.checkCancellation()
        time.withLock { $0 = max($0, end) }
    }

    func advance(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

/// The clock of one device, which its user sets forward or back.
final class SetClock: WallClock {
    private let base: LeapingClock
    private let offset = Locked<Int64>(0)

    init(_ base: LeapingClock) { self.base = base }

    func milliseconds() -> Int64 { base.milliseconds() + offset.withLock { $0 } }

    func uptime() -> Int64 { base.uptime() }

    func sleep(untilUptime end: Int64) async throws { try await base.sleep(untilUptime: end) }

    /// Sets the wall time; no time passes.
    func jump(by milliseconds: Int64) { offset.withLock { $0 += milliseconds } }
}
