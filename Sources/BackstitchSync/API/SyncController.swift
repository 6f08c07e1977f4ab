import Backstitch
import CloudWire
import Foundation

/// Steers the sync of one store.
///
/// ```swift
/// let summary = try await store.sync.sync(reason: "pull to refresh")
/// for change in try await store.sync.blockedChanges() { print(change.objectID, change.reason) }
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

    /// Syncs, and waits for the end of a cycle that begins after this call: everything saved before is sent, and
    /// everything that the server had before is here. Large assets and their records count: other changes go before
    /// them, and this returns when they have arrived too, however many cycles there are meanwhile.
    ///
    /// - Returns: All that sync has done since the last call that returned, also in cycles of its own in between, such
    ///   as those that follow a save; and all changes that are set aside now.
    /// - Throws: The ``BackstitchError`` for which the cycle failed (``BackstitchError/Code/network`` when offline,
    ///   ``BackstitchError/Code/syncPaused`` while paused); the store is as usable as before. `CancellationError` when
    ///   the task is cancelled; the cycle goes on.
    @discardableResult
    public func sync(reason: SyncReason = "the program asked") async throws -> SyncSummary {
        var summary = try await driver.sync(reason)
        summary.blocked = try await blockedChanges()
        return summary
    }

    /// Reads everything that the server has again, as ``sync(reason:)`` otherwise reads only what is new: for a store
    /// that is suspected of not holding what it should. Unsent edits stay, also those of which the store has not noted
    /// that they are to be sent: an object that differs from the version that our server last acknowledged, and that
    /// the store's history does not show to be sync's own writing, counts as edited. Objects that the server no longer
    /// has go.
    ///
    /// - Throws: As ``sync(reason:)``; the next cycle then reads everything. While another process syncs the store
    ///   (``SyncStatus/State/standby``) ``BackstitchError/Code/syncPaused``, and nothing is read again.
    /// - Complexity: All records of all zones travel; assets that are here do not.
    @discardableResult
    public func syncFromScratch(reason: SyncReason = "everything is read again") async throws -> SyncSummary {
        try requireLead()
        for zone in try await services.onWholeStore({ try $0.readJournal { try $0.allZones() } }) {
            guard let services = try await services.services(of: zone) else { continue }
            try await services.onStore { try $0.beginFullFetch(.asked, services.sweep, services.settings.generation) }
        }
        return try await sync(reason: reason)
    }

    /// The events from now on, for each caller from its call; the first caller also gets those before.
    ///
    /// A consumer that is a thousand events behind loses the oldest.
    public var events: AsyncStream<SyncEvent> { notifier.hub.stream() }

    /// How the store stands now.
    ///
    /// - Throws: The store's error when its counts cannot be read; ``BackstitchError/Code/storeClosed`` after it
    ///   was closed.
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
            // Where another process syncs the store, only the store knows.
            status.isFirstSyncComplete = status.isFirstSyncComplete || numbers.isFirstSyncComplete
            return status
        }
    }

    /// Ends the running cycle at its next step, and begins no other until ``resume()`` or until the store is opened
    /// anew. Saves go on, and wait.
    public func pause() { driver.tell(.paused(true)) }

    /// Lets sync go on after ``pause()``, or after it has stopped because of a ``SyncReset``; then the policy is asked
    /// again.
    public func resume() { driver.tell(.paused(false)) }

    /// Gives the server's tokens anew, after a sign-in for instance; a nil token is left out of requests.
    ///
    /// Without a web token the user is signed out: sync waits for another, and what is unsent stays. With a token of
    /// another user the next cycle finds that out, and goes by the option ``Backstitch/StoreOption/syncResetPolicy``.
    /// With one that has a blank or a line break in it, which no server can be sent, sync waits for another one; the
    /// error is ``Backstitch/BackstitchError/Code/authentication``.
    ///
    /// The token that the server has given last is taken out of the ``SyncCredentialStore`` before this returns.
    public func setCredentials(apiToken: String?, webAuthToken: String?) {
        services.client.setCredentials(SyncCredentials(apiToken: apiToken, webAuthToken: webAuthToken))
        driver.tell(.credentialsChanged)
    }
}
