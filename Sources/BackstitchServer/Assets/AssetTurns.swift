import BackstitchSupport

/// Keeps those apart who change the content of one asset: an upload holds its turn from before it puts the content in
/// its place until its row is committed, and a removal from before it looks for the row until the content is gone. So
/// no content is removed between its coming and its row, though neither waits for a network within a transaction.
///
/// These are turns within one process. Servers that share a storage also agree by its tables, and so that none holds a
/// connection or a lock while it waits for the network:
///
/// - A removal first counts itself, in the row of the tenant, and notes what it is about to remove that has no row; the
///   note goes when the content is gone. One that fails is tried again by the same server. A note whose server has gone
///   is another one's after a time within which no request of the old one can still be on its way (``RemovalTurn``).
/// - An upload waits while there is a note of its content, reads the count, puts the content in its place, and then
///   writes the row only where the count is still the same, which it keeps so until it has committed. Where it is not,
///   the content may have gone, and everything is done again.
///
/// So content that a row names is there, whichever server stops at whichever moment; one that stands still within a
/// removal for longer than that time, and then goes on, is the case that is left. Locks of a session would be
/// shorter to write, but each upload would hold a connection for as long as it takes, and a removal whose connection
/// broke would not know that its turn is over.
final class AssetTurns: Sendable {
    private enum Subject: Hashable {
        case collection
        case content(AssetName)
    }

    /// For each subject of which somebody has the turn, those who wait for it.
    private let lines = Locked<[Subject: [CheckedContinuation<Void, Never>]]>([:])

    /// Runs `work` alone among those that collect.
    func collect(_ work: () async throws -> Void) async throws { try await take([.collection], work) }

    /// Runs `work` when nobody else has a turn with one of the names. Who takes several at a time collects.
    func take<Value: Sendable>(_ names: [AssetName], _ work: () async throws -> Value) async throws -> Value {
        try await take(names.map { .content($0) }, work)
    }

    private func take<Value: Sendable>(
        _ subjects: [Subject], _ work: () async throws -> Value
    ) async throws -> Value {
        for subject in subjects { await enter(subject) }
        defer { for subject in subjects { leave(subject) } }
        return try await work()
    }

    private func enter(_ subject: Subject) async {
        await withCheckedContinuation { continuation in
            let isFirst = lines.withLock { lines in
                guard lines[subject] != nil else {
                    lines[subject] = []
                    return true
                }
                lines[subject, default: []].append(continuation)
                return false
            }
            if isFirst { continuation.resume() }
        }
    }

    private func leave(_ subject: Subject) {
        let next = lines.withLock { lines in
            let isLast = lines[subject, default: []].isEmpty
            guard isLast else { return lines[subject, default: []].removeFirst() as CheckedContinuation? }
            lines[subject] = nil
            return nil
        }
        next?.resume()
    }
}
