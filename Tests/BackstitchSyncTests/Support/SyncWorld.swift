import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import Logging
import TestSupport
import Testing

/// A real server in this process, reached over HTTP, and devices that sync with it.
final class SyncWorld: Sendable {
    let url: URL
    let server: ZoneServer
    let faults: FaultScript
    private let folder: URL
    private let devices = Locked<[SyncDevice]>([])

    init(
        limits: WireLimits = .extended, configure: (inout ZoneServerConfiguration) -> Void = { _ in }
    ) async throws {
        faults = FaultScript()
        folder = FileManager.default.temporaryDirectory.appending(
            path: "backstitch-sync-\(ObjectIDGenerator().next().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        var configuration = ZoneServerConfiguration(port: 0, storage: .memory)
        configuration.shutdownGrace = 1
        configuration.containers = .any
        configuration.extendedLimits = limits
        configuration.logger = Logger(label: "test.server") { _ in SwiftLogNoOpLogHandler() }
        let faults = faults
        configuration.faults = FaultInjector { await faults.decide($0) }
        configure(&configuration)
        try await SyncBacking.prepare()
        server = try ZoneServer(configuration: configuration)
        url = try await server.start()
    }

    /// Runs `body` in a world of its own, and ends it.
    static func run<Result>(
        limits: WireLimits = .extended, configure: (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (SyncWorld) async throws -> Result
    ) async throws -> Result {
        let world = try await SyncWorld(limits: limits, configure: configure)
        do {
            let result = try await body(world)
            try await world.end()
            return result
        } catch {
            try? await world.end()
            throw error
        }
    }

    /// A device; in memory unless it has a name.
    func device(
        _ name: String? = nil, policy: ConflictResolutionPolicy = .serverWins, automatic: Bool = false,
        model: ManagedObjectModel = SyncTestModel.description, _ more: [StoreOption: any Sendable] = [:]
    ) throws -> SyncDevice {
        var options: [StoreOption: any Sendable] = [
            .syncServerURL: url.absoluteString, .syncConflictResolutionPolicy: policy.rawValue,
            .syncAutomatically: automatic,
            .syncRequestTimeout: 5,
        ]
        if !automatic { options[.syncOnSave] = false }
        let place = try SyncBacking.current.place(of: name, in: folder)
        options.merge(place.options) { $1 }
        options.merge(more) { $1 }
        let device = try SyncDevice(model: model, options: options, url: place.url)
        devices.withLock { $0.append(device) }
        return device
    }

    /// Where a device with a name keeps its store.
    func folder(of name: String) -> URL { folder.appending(path: name) }

    private func end() async throws {
        for device in devices.withLock({ $0 }) { try? device.close() }
        try await server.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Syncs devices in turn until none has news for the others, and returns the content of each.
func converge(_ devices: SyncDevice...) async throws -> [[String]] {
    for _ in 0..<2 {
        for device in devices { try await device.sync.sync() }
    }
    var dumps: [[String]] = []
    for device in devices { dumps.append(try await device.dump()) }
    return dumps
}
