import Backstitch
import BackstitchSupport
import Logging

extension ZoneService {
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour
    /// Rows that one transaction looks at where their size does not matter.
    private static let piece = 500

    /// Removes what has become too old:
    ///
    /// - answers to idempotency keys;
    /// - the content of deleted zones, deleted records, and records that participants of shares no longer see;
    /// - assets without a record, and parts of files whose uploads have stopped;
    /// - indexes without queries;
    /// - push tokens without a poll for 30 days;
    /// - tokens that have ended, and signatures and ID tokens that are too old to be taken.
    ///
    /// It goes piece by piece, so that requests do not wait long for the one writer. A step that fails does not stop
    /// the others: a strange file beside the server's may stay for ever.
    ///
    /// - Throws: The first failure, after all steps; `CancellationError` between two pieces when the task is cancelled:
    ///   a server that is to stop does not wait until all is tidy.
    func cleanUp() async throws {
        let steps: [() async throws -> Void] = [
            removePushTokens, removeAnswers, emptyDeletedZones, removeQueryIndexes, removeIdentities, collectAssets,
            removePartials, removeTombstones, removeVisibility, removeSignInTokens,
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

    /// Writes piece after piece, until one says that there is no more.
    private func inPieces(_ piece: @escaping @Sendable (any ZoneWriting) throws -> Bool) async throws {
        repeat { try Task.checkCancellation() } while try await storage.write(piece)
    }

    private func removeAnswers() async throws {
        let time = clock.milliseconds() - Int64(configuration.idempotencyRetention) * 1000
        try await inPieces { try $0.removeAnswers(createdBefore: time, RemovalPiece()) }
    }

    private func emptyDeletedZones() async throws {
        try await inPieces { try $0.emptyDeletedZones(RemovalPiece()) }
    }

    private func removeQueryIndexes() async throws {
        let time = clock.milliseconds() - QueryLimits.restBeforeEnd
        try await inPieces { try $0.removeQueryIndexes(unusedSince: time, .ofScatteredRows) }
    }

    private func removeSignInTokens() async throws {
        let now = clock.milliseconds()
        try await inPieces { try $0.removeSignInTokens(endedBefore: now, limit: Self.piece) == Self.piece }
    }

    /// Tokens that have ended stay for a day, for whoever asks why one is refused; and for a day other servers can look
    /// what has changed.
    private func removeIdentities() async throws {
        let now = clock.milliseconds()
        try await users.stored.refresh(at: now)
        try await inPieces { try $0.removeSpentSignatures(endedBefore: now, limit: Self.piece) }
        try await inPieces { try $0.removeCredentials(endedBefore: now - Self.day, limit: Self.piece) }
        try await inPieces { try $0.removeReplacedTokens(endedBefore: now, limit: Self.piece) }
        try await inPieces { try $0.removeIdentityChanges(before: now - Self.day, limit: Self.piece) }
    }

    private func removePushTokens() async throws {
        let now = clock.milliseconds()
        hub.forget(unusedFor: Self.hour)
        let used = hub.takeUsed(interval: Self.day)
        for part in used.parts(of: Self.piece) {
            let part = Array(part)
            try await storage.write { try $0.touchPushTokens(part, seen: now) }
        }
        try await inPieces {
            try $0.removePushTokens(unseenSince: now - 30 * Self.day, limit: Self.piece) == Self.piece
        }
    }

    /// Records that participants of shares no longer see are forgotten as deletions are.
    private func removeVisibility() async throws {
        let time = clock.milliseconds() - Int64(configuration.tombstoneRetention) * 1000
        try await inPieces { try $0.removeVisibility(goneBefore: time, limit: Self.piece) == Self.piece }
        try await inPieces { try $0.removeEndedShares(limit: Self.piece) }
    }

    private func removeTombstones() async throws {
        let time = clock.milliseconds() - Int64(configuration.tombstoneRetention) * 1000
        try await inPieces { try $0.removeTombstones(deletedBefore: time, limit: Self.piece) == Self.piece }
    }
}
