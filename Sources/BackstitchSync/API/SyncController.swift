import Backstitch
import CloudWire
import Foundation

/// Controls the sync of one store.
///
/// Its own methods concern the whole store. The methods for a part of it are in controllers by subject: ``zones``,
/// ``objects``, ``blocked``, ``assets``, ``sharing``, ``following`` and ``encryption``.
///
/// ```swift
/// let summary = try await store.sync.sync(reason: "pull to refresh")
/// for change in try await store.sync.blocked.changes() { print(change.objectID, change.reason) }
/// ```
public final class SyncController: Sendable {
    let services: SyncServices
    let driver: SyncDriver
    private let notifier: SyncNotifier

    init(services: SyncServices, driver: SyncDriver, notifier: SyncNotifier) {
        self.services = services
        self.driver = driver
        self.notifier = notifier
    }

    /// Syncs, and waits for the end of a cycle that begins after this call. Everything saved before the call is then
    /// sent, and everything that the server had before it is here. This includes large assets and their records. Other
    /// changes are sent before them, but this call returns only after they have arrived too, even if that takes several
    /// cycles.
    ///
    /// - Returns: The results of all cycles since the last returned call, including automatic ones such as those after
    ///   a save. It also has all changes that are blocked now.
    /// - Throws: The ``BackstitchError`` that made the cycle fail (``BackstitchError/Code/network`` when offline,
    ///   ``BackstitchError/Code/syncPaused`` while paused); the store stays usable. `CancellationError` when the task
    ///   is cancelled; the cycle continues.
    @discardableResult
    public func sync(reason: SyncReason = "the program asked") async throws -> SyncSummary {
        var summary = try await driver.sync(reason)
        summary.blocked = try await blocked.changes()
        return summary
    }

    /// Reads all records of the server again, while ``sync(reason:)`` reads only new changes. It is for a store that
    /// may lack objects or hold wrong ones. Unsent edits stay, even edits that are missing in the outbox. An object
    /// counts as edited if it differs from the version that the server last acknowledged, unless history shows that
    /// sync wrote it. Objects that the server no longer has are deleted.
    ///
    /// - Throws: As ``sync(reason:)``; the next cycle then reads everything. While another process syncs the store
    ///   (``SyncStatus/State/standby``) ``BackstitchError/Code/syncPaused``, and nothing is read again.
    /// - Complexity: All records of all zones are downloaded; assets that are here are not.
    @discardableResult
    public func syncFromScratch(reason: SyncReason = "everything is read again") async throws -> SyncSummary {
        try requireLead()
        for zone in try await services.onWholeStore({ try $0.readJournal { try $0.allZones() } }) {
            guard let services = try await services.services(of: zone) else { continue }
            try await services.onStore { try $0.beginFullFetch(.asked, services.sweep, services.settings.generation) }
        }
        return try await sync(reason: reason)
    }

    /// The events of sync. Each caller gets the events after its call; the first caller also gets the earlier ones.
    ///
    /// A consumer that is a thousand events behind loses the oldest.
    public var events: AsyncStream<SyncEvent> { notifier.hub.stream() }

    /// The present status of the store.
    ///
    /// - Throws: The store's error when its counts cannot be read; ``BackstitchError/Code/storeClosed`` after it was
    ///   closed.
    public var status: SyncStatus {
        get async throws {
            var status = driver.status
            status.transfers = services.transfers.progress
            let numbers = try await services.onWholeStore { store in
                try store.readJournal { journal in
                    (
                        counts: try journal.outboxCounts(), push: try journal.value(of: .lastPush),
                        pull: try journal.value(of: .lastPull),
                        isFirstSyncComplete: try journal.has(.firstSync)
                    )
                }
            }
            status.pendingCount = numbers.counts.waiting
            status.blockedCount = numbers.counts.blocked
            status.lastPush = numbers.push.map(Date.init(milliseconds:))
            status.lastPull = numbers.pull.map(Date.init(milliseconds:))
            // If another process syncs the store, only the store knows this.
            status.isFirstSyncComplete = status.isFirstSyncComplete || numbers.isFirstSyncComplete
            return status
        }
    }

    /// Ends the running cycle at its next step. No other cycle begins until ``resume()``, or until the store is opened
    /// again. Saves are still possible, and wait.
    public func pause() { driver.tell(.paused(true)) }

    /// Resumes sync after ``pause()``, or after it has stopped because of a ``SyncReset``; then the policy is asked
    /// again.
    public func resume() { driver.tell(.paused(false)) }

    /// Sets the server's tokens, for example after a sign-in. A nil token is left out of requests.
    ///
    /// Without a web token the user is signed out: sync waits for another token, and unsent changes stay. If the token
    /// belongs to another user, the next cycle notices it and follows the option
    /// ``Backstitch/StoreOption/syncResetPolicy``. A token with a blank or a line break cannot be sent to any server.
    /// Sync then waits for another one; the error is ``Backstitch/BackstitchError/Code/authentication``.
    ///
    /// The last renewed token is removed from the ``SyncCredentialStore`` before this returns.
    public func setCredentials(apiToken: String?, webAuthToken: String?) {
        services.client.setCredentials(SyncCredentials(apiToken: apiToken, webAuthToken: webAuthToken))
        driver.tell(.credentialsChanged)
    }
}
