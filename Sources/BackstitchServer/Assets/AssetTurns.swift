import BackstitchSupport

/// Keeps those apart who change the content of one asset: an upload holds its turn from before it puts the content in
/// its place until its row is committed, and a removal from before it looks for the row until the content is gone. So
/// no content is removed between its coming and its row, though neither waits for a network within a transaction.
///
/// Nodes that share a storage must take turns with each other: theirs is made by the storage, of locks that go with
/// their holder (in PostgreSQL advisory locks of a session, numbered by tenant and checksum, and one for collecting).
protocol AssetTurns: Sendable {
    /// Runs `work` alone among those that collect. It may be left out when another node collects now.
    func collect(_ work: () async throws -> Void) async throws

    /// Runs `work` when nobody else has a turn with one of the names. Who takes several at a time collects.
    func take<Value: Sendable>(_ names: [AssetName], _ work: () async throws -> Value) async throws -> Value
}

/// Turns within one process.
final class LocalAssetTurns: AssetTurns {
    private enum Subject: Hashable {
        case collection
        case content(AssetName)
    }

    /// For each subject of which somebody has the turn, those who wait for it.
    private let lines = Locked<[Subject: [CheckedContinuation<Void, Never>]]>([:])

    func collect(_ work: () async throws -> Void) async throws { try await take([.collection], work) }

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
