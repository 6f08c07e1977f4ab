import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
package import Logging

/// The accounts of a storage opened by a command itself, without a server.
///
/// ```swift
/// let opened = try await OpenedIdentities(.directory(folder), logger: logger)
/// let made = try await AddUser(alias: "ada").answer(opened.identities)
/// try await opened.close()
/// ```
///
/// Only one process at a time can open a folder. So this throws while a server has it open. A database may have servers
/// at the same time. They are told of the changes, or find them when they look.
package final class OpenedIdentities: Sendable {
    /// The accounts, tokens, keys and containers in the storage.
    package let identities: Identities

    private let storage: ZoneStorage
    private let runner = ThreadRunner()
    private let changed: Locked<Set<String>>

    /// Opens a storage. A missing one is made.
    ///
    /// - Throws: ``ZoneServerError`` if the storage cannot be used, or a server has it open.
    package init(_ place: ZoneServerConfiguration.Storage, logger: Logger) async throws {
        var configuration = ZoneServerConfiguration(storage: place)
        configuration.logger = logger
        let (opening, changed) = (configuration, Locked<Set<String>>([]))
        storage = try await runner.run { try ZoneStorage.open(opening) }
        self.changed = changed
        identities = Identities(
            storage: storage, clock: configuration.clock, random: configuration.random,
            isConfigured: { $0.isOfConfiguration }
        ) { effects in
            let names = effects.accounts.map(\.string).filter { !$0.isEmpty }
            changed.withLock { $0.formUnion(names + [PeerMessage.identities]) }
        }
    }

    /// Notifies the servers of the storage of the changes, and closes it. A server without the notification finds them
    /// when it looks.
    package func close() async throws {
        let users = changed.withLock { $0 }
        if !users.isEmpty {
            try await runner.run { [storage] in
                guard let notifier = try storage.makeNotifier() else { return }
                notifier.send(PeerMessage(server: 0, users: users).texts)
                // A sent text comes back as a notification. If the database is silent, the wait ends after 5 seconds.
                DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(5)) { notifier.close() }
                try notifier.run { _ in notifier.close() }
            }
        }
        try await storage.close()
    }
}
