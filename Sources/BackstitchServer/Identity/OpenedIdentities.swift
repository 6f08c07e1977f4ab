import Backstitch
import BackstitchSQL
import BackstitchSupport
import Foundation
package import Logging

/// The accounts of a storage that a command has opened by itself, without a server.
///
/// ```swift
/// let opened = try await OpenedIdentities(.directory(folder), logger: logger)
/// let made = try await AddUser(alias: "ada").answer(opened.identities)
/// try await opened.close()
/// ```
///
/// A folder is opened by one at a time, so while a server has it, this throws. A database may have servers at the same
/// time: they are told what has changed, or find it when they look.
package final class OpenedIdentities: Sendable {
    /// The accounts, tokens, keys and containers in the storage.
    package let identities: Identities

    private let storage: SQLZoneStorage
    private let runner = ThreadRunner()
    private let changed: Locked<Set<String>>

    /// Opens a storage, which is made when it is missing.
    ///
    /// - Throws: ``ZoneServerError`` when it cannot be used, or a server has it.
    package init(_ place: ZoneServerConfiguration.Storage, logger: Logger) async throws {
        var configuration = ZoneServerConfiguration(storage: place)
        configuration.logger = logger
        let (opening, changed) = (configuration, Locked<Set<String>>([]))
        storage = try await runner.run { try SQLZoneStorage.open(opening) }
        self.changed = changed
        identities = Identities(
            storage: storage, clock: configuration.clock, random: configuration.random,
            isConfigured: { $0.isOfConfiguration }
        ) { effects in
            let names = effects.accounts.map(\.string).filter { !$0.isEmpty }
            changed.withLock { $0.formUnion(names + [NeighbourMessage.identities]) }
        }
    }

    /// Tells the servers of the storage what has changed, and closes it. Servers that do not hear it look by
    /// themselves.
    package func close() async throws {
        let users = changed.withLock { $0 }
        if !users.isEmpty {
            try await runner.run { [storage] in
                guard let notifier = try storage.makeNotifier() else { return }
                notifier.send(NeighbourMessage(server: 0, users: users).texts)
                // A text that was sent comes back. A database that is silent is not waited for.
                DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(5)) { notifier.close() }
                try notifier.run { _ in notifier.close() }
            }
        }
        try await storage.close()
    }
}
