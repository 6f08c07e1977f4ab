import Backstitch
import BackstitchSupport
import Logging

/// The removal of everything that has become too old.
struct CleanUp: Sendable {
    private let server: ServerContext
    private let assets: AssetOperations

    init(_ service: ZoneService) {
        server = service.context
        assets = service.assets
    }

    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour
    /// The rows in one transaction, if their size does not matter.
    private static let piece = 500

    /// Removes everything that has become too old:
    ///
    /// - answers to idempotency keys;
    /// - the content of deleted zones, deleted records, and records no longer visible to participants of shares;
    /// - assets without a record, and parts of files whose uploads have stopped;
    /// - indexes without queries;
    /// - push tokens without a poll for 30 days;
    /// - tokens that have ended, and signatures and ID tokens too old to be accepted.
    ///
    /// It works piece by piece, so requests do not wait long for the one writer. A failed step does not stop the
    /// others, because one strange file in the server's folder may fail every time.
    ///
    /// - Throws: The first failure, after all steps; `CancellationError` between two pieces if the task is cancelled.
    ///   So a stopping server does not wait for the end of the clean-up.
    func run() async throws {
        let steps: [() async throws -> Void] = [
            removePushTokens, removeAnswers, emptyDeletedZones, removeQueryIndexes, removeIdentities, assets.collect,
            assets.removePartials, removeTombstones, removeVisibility, removeSignInTokens,
        ]
        var first: (any Error)?
        for step in steps {
            do { try await step() } catch {
                if Task.isCancelled || error is CancellationError { throw error }
                first = first ?? error
            }
        }
        if let first { throw first }
    }

    /// Writes piece after piece, until one reports that nothing is left.
    private func inPieces(_ piece: @escaping @Sendable (ZoneTransaction) throws -> Bool) async throws {
        repeat { try Task.checkCancellation() } while try await server.storage.write(frees: true, piece)
    }

    /// Removes answers to idempotency keys after the configured time.
    private func removeAnswers() async throws {
        let time = server.clock.milliseconds() - Int64(server.configuration.idempotencyRetention) * 1000
        try await inPieces { try $0.removeAnswers(createdBefore: time, RemovalPiece()) }
    }

    /// Removes the content of deleted zones.
    private func emptyDeletedZones() async throws {
        try await inPieces { try $0.emptyDeletedZones(RemovalPiece()) }
    }

    /// Removes indexes that no query has used for 30 days.
    private func removeQueryIndexes() async throws {
        let time = server.clock.milliseconds() - QueryLimits.restBeforeEnd
        try await inPieces { try $0.removeQueryIndexes(unusedSince: time, .ofScatteredRows) }
    }

    /// Removes notes of ID tokens that are too old to be accepted again.
    private func removeSignInTokens() async throws {
        let now = server.clock.milliseconds()
        try await inPieces { try $0.removeSignInTokens(endedBefore: now, limit: Self.piece) == Self.piece }
    }

    /// Removes ended tokens, spent signatures and old changes of identities.
    ///
    /// Ended tokens are kept for a day, to explain why they are refused. The list of changes is also kept for a day, so
    /// that other servers can read it.
    private func removeIdentities() async throws {
        let now = server.clock.milliseconds()
        try await server.users.stored.refresh(at: now)
        try await inPieces { try $0.removeSpentSignatures(endedBefore: now, limit: Self.piece) }
        try await inPieces { try $0.removeCredentials(endedBefore: now - Self.day, limit: Self.piece) }
        try await inPieces { try $0.removeReplacedTokens(endedBefore: now, limit: Self.piece) }
        try await inPieces { try $0.removeIdentityChanges(before: now - Self.day, limit: Self.piece) }
    }

    /// Notes the use of push tokens once a day, and removes those without a poll for 30 days.
    private func removePushTokens() async throws {
        let now = server.clock.milliseconds()
        server.push.hub.forget(unusedFor: Self.hour)
        let used = server.push.hub.takeUsed(interval: Self.day)
        for part in used.parts(of: Self.piece) {
            let part = Array(part)
            try await server.storage.write(frees: true) { try $0.touchPushTokens(part, seen: now) }
        }
        try await inPieces {
            try $0.removePushTokens(unseenSince: now - 30 * Self.day, limit: Self.piece) == Self.piece
        }
    }

    /// Removes log entries of records no longer visible to participants. They are kept as long as deletions are.
    private func removeVisibility() async throws {
        let time = server.clock.milliseconds() - Int64(server.configuration.tombstoneRetention) * 1000
        try await inPieces { try $0.removeVisibility(goneBefore: time, limit: Self.piece) == Self.piece }
        try await inPieces { try $0.removeEndedShares(limit: Self.piece) }
    }

    /// Removes deleted records after the configured time.
    private func removeTombstones() async throws {
        let time = server.clock.milliseconds() - Int64(server.configuration.tombstoneRetention) * 1000
        try await inPieces { try $0.removeTombstones(deletedBefore: time, limit: Self.piece) == Self.piece }
    }
}
