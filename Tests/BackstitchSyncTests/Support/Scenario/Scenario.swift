import Backstitch
import BackstitchServer
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import CloudWire
import Foundation
import Logging
import TestSupport
import Testing

/// Devices, their server and the network between them in one process, without waiting: a test of sync as a script.
///
/// ```swift
/// @Suite("two devices", .scenario)
/// struct FieldTests: ScenarioSuite {
///     @Test("an edit offline of another field merges")
///     func fields() async throws {
///         let (a, b) = try s.pair()
///         let id = try await a.add(["title": "T", "rank": 1], number: 1)
///         try await s.settle()
///         try await a.set(id, ["title": "T2"])
///         try await b.set(id, ["rank": 9])
///         try await s.settle()
///         try await s.expect("Note 1 rank 9 title 'T2'")
///     }
/// }
/// ```
/// The devices are containers with synced stores (over ``SyncBacking``). None of them syncs by itself. The server is
/// this project's, without sockets. The clock moves with requests, and when a task sleeps by it. A test of HTTP, of
/// files, of processes or of automatic work uses ``SyncWorld`` instead.
final class Scenario: Sendable {
    @TaskLocal static var current: Scenario?

    let server: InlineTransport
    let clock = LeapingClock()
    let faults = FaultScript()
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "backstitch-scenario-\(ObjectIDGenerator().next().uuidString)")
    private let made = Locked<[SyncDevice]>([])
    let versions = Locked<[String: [String]]>([:])

    private init(_ limits: WireLimits, _ configure: (inout ZoneServerConfiguration) -> Void) async throws {
        var configuration = ZoneServerConfiguration(storage: .memory)
        configuration.containers = .any
        configuration.extendedLimits = limits
        configuration.clock = clock
        configuration.logger = Logger(label: "test.server") { _ in SwiftLogNoOpLogHandler() }
        let faults = faults, clock = clock
        configuration.faults = FaultInjector { request in
            // Without the passing of time all requests would arrive at once, which exceeds a user's limit.
            clock.advance(by: 10)
            return await faults.decide(request)
        }
        configure(&configuration)
        try await SyncBacking.prepare()
        server = try InlineTransport(configuration)
        StoreRegistry.register(ScenarioStore.self)
    }

    /// Runs `body` in a scenario of its own, and ends it. Suites with the trait ``Testing/Trait/scenario`` have one
    /// for each test.
    static func run<Result>(
        limits: WireLimits = .extended, configure: (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (Scenario) async throws -> Result
    ) async throws -> Result {
        let scenario = try await Scenario(limits, configure)
        defer { scenario.end() }
        return try await $current.withValue(scenario) { try await body(scenario) }
    }

    private func end() {
        for device in devices { try? device.close() }
        try? server.putAway()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Devices

    /// A device in memory, or one with a name, which can be opened again after it was closed.
    ///
    /// - Parameters:
    ///   - line: Its connection to the server, if not the usual one.
    ///   - own: Its clock, if not the usual one.
    func device(
        _ name: String? = nil, policy: ConflictResolutionPolicy = .serverWins,
        model: ManagedObjectModel = SyncTestModel.description, _ more: [StoreOption: any Sendable] = [:],
        over line: (any Transport)? = nil, by own: (any WallClock)? = nil
    ) throws -> SyncDevice {
        let place = try SyncBacking.current.place(of: name, in: folder)
        var options: [StoreOption: any Sendable] = [
            .syncServerURL: ScenarioStore.address, .syncConflictResolutionPolicy: policy.rawValue,
            .syncAutomatically: false, .syncOnSave: false,
        ]
        options.merge(place.options) { $1 }
        options.merge(more) { $1 }
        let seed = made.withLock { UInt64($0.count) }
        let time: any WallClock = own ?? clock
        let container = try ScenarioStore.$line.withValue(.init(transport: line ?? server, clock: time, seed: seed)) {
            try PersistentContainer(
                model: model,
                store: .init(type: .init(rawValue: ScenarioStore.typeName), url: place.url, options: options),
                clock: time, logger: ScenarioStore.logger)
        }
        let device = try SyncDevice(container)
        made.withLock { $0.append(device) }
        return device
    }

    /// Two devices of one user.
    func pair(
        policy: ConflictResolutionPolicy = .serverWins, model: ManagedObjectModel = SyncTestModel.description,
        _ more: [StoreOption: any Sendable] = [:]
    ) throws -> (SyncDevice, SyncDevice) {
        (try device(policy: policy, model: model, more), try device(policy: policy, model: model, more))
    }

    /// The devices that are not closed, in the order of their creation.
    var devices: [SyncDevice] { made.withLock { $0.filter { !$0.isClosed } } }

    // MARK: Syncing

    /// Syncs devices one after the other.
    func sync(_ devices: SyncDevice...) async throws { for device in devices { try await device.sync.sync() } }

    /// Syncs devices (all, unless some are named) in turn, until none should have anything to tell the others, and
    /// expects them to hold the same.
    func settle(
        _ named: SyncDevice..., rounds: Int = 2, comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let devices = named.isEmpty ? self.devices : named
        for _ in 0..<rounds { for device in devices { try await device.sync.sync() } }
        guard let first = try await devices.first?.dump() else { return }
        for device in devices.dropFirst() {
            let dump = try await device.dump()
            #expect(dump == first, comment, sourceLocation: sourceLocation)
        }
    }

    /// Expects that devices (all, unless some are named) have nothing left to send.
    func expectNothingUnsent(
        _ named: SyncDevice..., comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for device in named.isEmpty ? devices : named {
            let status = try await device.sync.status
            #expect(status.pendingCount == 0 && status.blockedCount == 0, comment, sourceLocation: sourceLocation)
        }
    }
}
