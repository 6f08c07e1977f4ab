import Backstitch
import BackstitchSupport
import Foundation
import Logging

/// Tells the program what sync does: by events, notifications and log entries.
final class SyncNotifier: Sendable {
    let hub = EventHub()
    private let logger: Logger
    // A single thread keeps notifications in order, and observers never block the cooperative pool.
    private let thread = WorkerPool(name: "backstitch-sync-notifications", limit: 1)
    private let poster = Locked<Poster>(Poster())

    private struct Poster: Sendable {
        // The reference is weak, because the store indirectly owns this object.
        weak var store: SyncStore?
    }

    init(logger: Logger) { self.logger = logger }

    func setStore(_ store: SyncStore) { poster.withLock { $0.store = store } }

    func tell(_ event: SyncEvent) {
        hub.send(event)
        switch event {
        case .started(let reason):
            logger.debug("sync begins", metadata: ["reason": "\(reason)"])
            post(.didStartSync) { [:] }
        case .progress: break
        case .finished(let summary):
            logger.debug(
                "sync has ended",
                metadata: ["received": "\(summary.received)", "sent": "\(summary.sent)"])
            logWhatStays(of: summary)
            post(.didFinishSync) {
                [
                    SyncNotificationKey.inserted: summary.inserted, SyncNotificationKey.updated: summary.updated,
                    SyncNotificationKey.deleted: summary.deleted, SyncNotificationKey.summary: summary,
                ]
            }
        case .failed(let error):
            post(.didFailSync) { [SyncNotificationKey.error: error] }
        case .keyRefused(let key):
            logger.warning(
                "a participant's public key is not trusted",
                metadata: ["user": "\(key.userRecordName)", "zone": "\(key.zone)"])
        }
    }

    /// Logs the changes and records that a cycle has blocked or parked: the first ones singly, and the total number.
    private func logWhatStays(of summary: SyncSummary) {
        for change in summary.blocked.prefix(Self.loggedEach) {
            logger.warning(
                "a change cannot be synced",
                metadata: ["object": "\(change.objectID)", "reason": "\(change.reason)"])
        }
        for record in summary.parked.prefix(Self.loggedEach) {
            logger.warning(
                "a record cannot be read",
                metadata: ["record": "\(record.recordName)", "reason": "\(record.reason)"])
        }
        guard max(summary.blocked.count, summary.parked.count) > Self.loggedEach else { return }
        logger.warning(
            "only the first are logged; sync.blocked.changes() and sync.blocked.parkedRecords() list all",
            metadata: ["changes": "\(summary.blocked.count)", "records": "\(summary.parked.count)"])
    }

    /// The most changes, and the most records, of one cycle that are logged singly.
    private static let loggedEach = 20

    /// Logs that a cycle has failed, and whether it is tried again.
    ///
    /// - Parameter wait: The milliseconds until the automatic retry; nil if there is none.
    /// - Parameter isAwaited: Whether a caller waits for the cycle and receives the error.
    func logFailure(_ error: BackstitchError, wait: Int64?, isAwaited: Bool) {
        guard let wait else {
            return logger.log(
                level: isAwaited ? .info : .warning, "sync has failed; it is not tried again by itself",
                metadata: ["error": "\(error.message)"])
        }
        logger.info(
            "sync has failed; it is tried again by itself",
            metadata: ["error": "\(error.message)", "seconds": "\(Double(wait) / 1_000)"])
    }

    /// Logs at the debug level that a step of a cycle has failed and is tried again. If the retries fail too, most logs
    /// contain only the cycle's failure.
    func logRetry(of error: BackstitchError?, number: Int, wait: Int64) {
        logger.debug(
            "a step of sync has failed; it is tried again by itself",
            metadata: [
                "error": "\(error?.message ?? "none")", "try": "\(number + 1)", "seconds": "\(Double(wait) / 1_000)",
            ])
    }

    func close() { hub.close() }

    private func post(_ name: Notification.Name, userInfo: @escaping @Sendable () -> [String: any Sendable]) {
        let store = poster.withLock { $0.store }
        guard let store else { return }
        thread.submit {
            NotificationCenter.default.post(name: name, object: store, userInfo: userInfo())
        }
    }
}
