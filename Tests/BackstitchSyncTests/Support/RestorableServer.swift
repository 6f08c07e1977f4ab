import BackstitchServer
import BackstitchSupport
import Foundation
import Logging

/// A server on a folder, at one address for as long as the test runs. It can go back to a backup.
final class RestorableServer: Sendable {
    /// The way in which the server finds out that it has gone back.
    enum Notice: String, CaseIterable {
        case byItsWitness, becauseItIsTold
    }

    private let folder: URL
    private let backup: URL
    private let running = Locked<ZoneServer?>(nil)
    private let port = Locked(0)

    init(_ parent: URL) {
        (folder, backup) = (parent.appending(path: "served"), parent.appending(path: "backup"))
    }

    @discardableResult
    func start(isRestored: Bool = false) async throws -> URL {
        var configuration = ZoneServerConfiguration(port: port.withLock { $0 }, storage: .directory(folder))
        configuration.isRestored = isRestored
        configuration.shutdownGrace = 1
        configuration.logger = Logger(label: "test.server") { _ in SwiftLogNoOpLogHandler() }
        let server = try ZoneServer(configuration: configuration)
        let url = try await server.start()
        port.withLock { $0 = url.port ?? 0 }
        running.withLock { $0 = server }
        return url
    }

    func stop() async throws {
        let server = running.withLock { running in
            defer { running = nil }
            return running
        }
        try await server?.stop()
    }

    /// Keeps the present state for ``restore(noticed:)``.
    func backUp() async throws {
        try await stop()
        try FileManager.default.copyItem(at: folder, to: backup)
        try await start()
    }

    /// Goes back to the state of the backup.
    func restore(noticed how: Notice) async throws {
        try await stop()
        let manager = FileManager.default
        switch how {
        case .becauseItIsTold:
            try manager.removeItem(at: folder)
            try manager.copyItem(at: backup, to: folder)
        case .byItsWitness:
            for end in ["", "-wal", "-shm"] {
                try? manager.removeItem(at: folder.appending(path: "zones.sqlite\(end)"))
            }
            try manager.copyItem(
                at: backup.appending(path: "zones.sqlite"), to: folder.appending(path: "zones.sqlite"))
        }
        try await start(isRestored: how == .becauseItIsTold)
    }
}
