import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import Foundation
import Logging
import TestSupport
import Testing

/// A server on a folder, at one address, and devices of its users. Its roles of the public database change with each
/// start.
final class RoleServer: Sendable {
    private let folder: URL
    private let running = Locked<ZoneServer?>(nil)
    private let port = Locked(0)
    private let devices = Locked<[SyncDevice]>([])

    private init() {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "backstitch-roles-\(ObjectIDGenerator().next().uuidString)")
    }

    /// Runs `body` with a server that has these roles.
    static func run(_ rules: String..., body: (RoleServer) async throws -> Void) async throws {
        let server = RoleServer()
        try await SyncBacking.prepare()
        try FileManager.default.createDirectory(at: server.folder, withIntermediateDirectories: false)
        do {
            try await server.start(rules)
            try await body(server)
            try await server.end()
        } catch {
            try? await server.end()
            throw error
        }
    }

    /// Starts the server anew, with other roles.
    func restart(_ rules: String...) async throws {
        try await stop()
        try await start(rules)
    }

    private func start(_ rules: [String]) async throws {
        var configuration = ZoneServerConfiguration(
            port: port.withLock { $0 }, storage: .directory(folder.appending(path: "server")))
        configuration.shutdownGrace = 1
        configuration.containers = .any
        configuration.logger = Logger(label: "test.server") { _ in SwiftLogNoOpLogHandler() }
        configuration.apiTokens = [TokenDigest(of: PublicNotes.token("program"))]
        configuration.users = ["alice", "bob"].map {
            ZoneServerConfiguration.User(userRecordName: "_\($0)", webAuthToken: PublicNotes.token($0))
        }
        for rule in rules {
            let isSet = configuration.publicRoles.set(rule)
            #expect(isSet, "\(rule)")
        }
        let server = try ZoneServer(configuration: configuration)
        let url = try await server.start()
        port.withLock { $0 = url.port ?? 0 }
        running.withLock { $0 = server }
    }

    /// A device with a store of the public database. It follows the notes below rank 10 and all objects of other
    /// entities, and has read them.
    ///
    /// - Parameters:
    ///   - user: The user of the device; nil for a caller without a name.
    ///   - name: The name for opening it again; nil for one in memory.
    ///   - syncs: Whether it has read them already.
    func reader(
        _ user: String?, _ name: String? = nil, model: ManagedObjectModel = SyncTestModel.description,
        syncs: Bool = true, _ more: [StoreOption: any Sendable] = [:]
    ) async throws -> SyncDevice {
        var options: [StoreOption: any Sendable] = [
            .syncServerURL: "http://127.0.0.1:\(port.withLock { $0 })", .syncAutomatically: false, .syncOnSave: false,
            .syncRequestTimeout: 5, .syncDatabase: "public", .syncAPIToken: PublicNotes.token("program"),
        ]
        options[.syncWebAuthToken] = user.map(PublicNotes.token)
        let place = try SyncBacking.current.place(of: name, in: folder)
        options.merge(place.options.merging(more) { $1 }) { $1 }
        let device = try SyncDevice(model: model, options: options, url: place.url)
        devices.withLock { $0.append(device) }
        if try await device.sync.following.requests().isEmpty {
            for entity in model.entities {
                let part = entity.name == "Note" ? "rank < 10" : "TRUEPREDICATE"
                try await device.sync.following.start(
                    FetchRequest<ManagedObject>(entityName: entity.name, where: part))
            }
        }
        if syncs { try await device.sync.sync() }
        return device
    }

    private func stop() async throws {
        let server = running.withLock { running in
            defer { running = nil }
            return running
        }
        try await server?.stop()
    }

    private func end() async throws {
        for device in devices.withLock({ $0 }) { try? device.close() }
        try await stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
