import Backstitch
import BackstitchPostgreSQL
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import CloudWire
import Foundation
import Logging
import TestSupport

/// A real server in this process, reached over HTTP, and devices that sync with it.
final class SyncWorld: Sendable {
    let url: URL
    let server: ZoneServer
    let faults: FaultScript
    private let folder: URL
    private let devices = Locked<[SyncDevice]>([])

    init(
        limits: WireLimits = .extended, clock: (any WallClock)? = nil,
        configure: (inout ZoneServerConfiguration) -> Void = { _ in }
    ) async throws {
        faults = FaultScript()
        folder = FileManager.default.temporaryDirectory.appending(
            path: "backstitch-sync-\(ObjectIDGenerator().next().uuidString)")
        var configuration = ZoneServerConfiguration(port: 0, storage: .memory)
        configuration.shutdownGrace = 1
        configuration.containers = .any
        configuration.extendedLimits = limits
        if let clock { configuration.clock = clock }
        configuration.logger = Logger(label: "test.server") { _ in SwiftLogNoOpLogHandler() }
        let faults = faults
        configuration.faults = FaultInjector { await faults.decide($0) }
        configure(&configuration)
        if SyncBacking.current == .postgreSQL { _ = try await onThread { try PostgresServer.shared.get() } }
        server = try ZoneServer(configuration: configuration)
        url = try await server.start()
    }

    /// Runs `body` in a world of its own, and ends it.
    static func run<Result>(
        limits: WireLimits = .extended, clock: (any WallClock)? = nil,
        configure: (inout ZoneServerConfiguration) -> Void = { _ in },
        _ body: (SyncWorld) async throws -> Result
    ) async throws -> Result {
        let world = try await SyncWorld(limits: limits, clock: clock, configure: configure)
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
        var place = name.map { folder.appending(path: $0) }
        if SyncBacking.current == .postgreSQL {
            StoreRegistry.register(PostgreSQLStore.self)
            let own = "\(folder.lastPathComponent)-\(name ?? ObjectIDGenerator().next().uuidString)"
            options[.backingStoreType] = "PostgreSQL"
            options[.postgresSchema] = String(own.lowercased().suffix(60))
            options[.postgresPoolSize] = 3
            place = try PostgresServer.shared.get().url
        }
        options.merge(more) { $1 }
        let device = try SyncDevice(model: model, options: options, url: place)
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

/// A device: a container with a synced store.
final class SyncDevice: Sendable {
    let container: PersistentContainer
    let sync: SyncController

    init(
        model: ManagedObjectModel = SyncTestModel.description, options: [StoreOption: any Sendable], url: URL?
    ) throws {
        container = try PersistentContainer(
            model: model, store: .init(type: .sync, url: url, options: options))
        sync = try container.requireSync()
    }

    /// Changes objects and saves.
    @discardableResult
    func edit<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await container.perform { context in
            let result = try body(context)
            try context.save()
            return result
        }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await container.perform(body)
    }

    /// Makes a note and saves.
    func addNote(
        _ title: String, _ more: @escaping @Sendable (TestNote, ManagedObjectContext) throws -> Void = { _, _ in }
    )
        async throws -> ObjectID
    {
        try await edit { context in
            let note = TestNote(context: context)
            note.title = title
            try more(note, context)
            return note.objectID
        }
    }

    /// Changes a note and saves.
    func change(_ id: ObjectID, _ body: @escaping @Sendable (TestNote, ManagedObjectContext) throws -> Void)
        async throws
    {
        try await edit { context in
            guard let note = try context.existingObject(with: id) as? TestNote else { return }
            try body(note, context)
        }
    }

    func delete(_ ids: ObjectID...) async throws {
        try await edit { context in
            for id in ids { context.delete(try context.existingObject(with: id)) }
        }
    }

    func titles() async throws -> [String] {
        try await read { context in try context.fetch(FetchRequest<TestNote>()).compactMap(\.title).sorted() }
    }

    /// Everything that is in the store, as text, in one order.
    func dump() async throws -> [String] {
        try await read { context in
            try context.model.entities.flatMap { entity in
                try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name)).map { object in
                    let values = try entity.columns.map { "\($0.name)=\(try Self.text(object, $0))" }
                    let links = entity.ownedLinks.map { property in
                        let targets: Set<ManagedObject> = object[property.name]
                        return "\(property.name)=\(targets.map(\.key).sorted().map(\.uuidString))"
                    }
                    return "\(object.objectID) \((values + links).joined(separator: " "))"
                }
            }.sorted()
        }
    }

    /// A value as the store has it: an asset by its name, so that one that is not downloaded counts as well.
    private static func text(_ object: ManagedObject, _ column: ResolvedProperty) throws -> String {
        let store = object.managedObjectContext?.coordinator.store
        guard let rows = try store?.rows(of: object.entity, keys: [object.key]), rows.count == 1 else { return "gone" }
        let value = rows.value(0, column.slot)
        // A reference to what is not there reads as nil, on every device.
        if case .object(let id) = value, let context = object.managedObjectContext {
            return (try? context.existingObject(with: id)) == nil ? "nil" : id.description
        }
        return value.summary
    }

    func close() throws { try container.close() }
}

/// Decides which fault befalls which request.
actor FaultScript {
    typealias Decision = @Sendable (FaultInjector.Request) async -> FaultInjector.Fault?

    private var decision: Decision?
    private(set) var requests: [String] = []

    func set(_ decision: Decision?) { self.decision = decision }

    func clear() {
        decision = nil
        requests = []
    }

    /// Lets the server do what the next request of that kind asks, and nobody reach it from then on.
    func breakDown(at endpoint: String) {
        let isDown = Locked(false)
        decision = { request in
            isDown.withLock { isDown in
                if isDown { return .dropConnection }
                isDown = request.endpoint == endpoint
                return isDown ? .dropResponse : nil
            }
        }
    }

    func decide(_ request: FaultInjector.Request) async -> FaultInjector.Fault? {
        requests.append(request.endpoint)
        return await decision?(request)
    }

    /// Lets `fault` happen to the request number `number` (from 0) of those that come from now on.
    func fail(_ number: Int, _ fault: FaultInjector.Fault, endpoint: String? = nil) {
        let counter = Locked(0)
        requests = []
        decision = { request in
            guard endpoint == nil || request.endpoint == endpoint else { return nil }
            let now = counter.withLock { count in
                defer { count += 1 }
                return count
            }
            return now == number ? fault : nil
        }
    }
}

/// Syncs devices in turn until none has anything to tell the others, and gives what each holds.
func converge(_ devices: SyncDevice...) async throws -> [[String]] {
    for _ in 0..<2 {
        for device in devices { try await device.sync.sync() }
    }
    var dumps: [[String]] = []
    for device in devices { dumps.append(try await device.dump()) }
    return dumps
}
