import BackstitchSupport

/// Separates tasks that change the content of the same asset.
///
/// An upload has its turn from before it stores the content until its row is committed. A removal has its turn from
/// before it looks for the row until the content is gone. So no content is removed between its arrival and its row,
/// although neither task waits for a network within a transaction.
///
/// These turns are within one process. Servers that share a storage also agree through its tables. So none of them
/// holds a connection or a lock while it waits for the network:
///
/// - A removal first counts itself in the row of the tenant. It also notes the content it will remove, if that has no
///   row. The note is removed when the content is gone. After a failure the same server tries again. If the server is
///   gone, another server takes over the note. It does so only after a time when no request of the old server can still
///   be running (``RemovalTurn``).
/// - An upload waits while its content has a note. Then it reads the count and stores the content. It writes the row
///   only if the count is still the same, and keeps the count unchanged until the commit. If the count has changed, the
///   content may be gone, and the upload repeats everything.
///
/// So content with a row always exists, even if any server stops at any moment. One case remains: a server pauses
/// within a removal for longer than that time, and then continues.
///
/// Locks of a session would be simpler. But each upload would hold a connection for its whole duration, and a removal
/// with a broken connection would not notice the end of its turn.
final class AssetTurns: Sendable {
    /// The subject of a turn: all removals of a process, or some content.
    private enum Subject: Hashable {
        case collection
        case content(AssetName)
    }

    /// The waiting tasks for each subject with a turn in progress.
    private let lines = Locked<[Subject: [CheckedContinuation<Void, Never>]]>([:])

    /// Runs `work` alone among all removals of this process.
    func collect(_ work: () async throws -> Void) async throws { try await take([.collection], work) }

    /// Runs `work` when no other task has a turn for one of the names. A task must be within `collect` to take several
    /// names.
    func take<Value: Sendable>(_ names: [AssetName], _ work: () async throws -> Value) async throws -> Value {
        try await take(names.map { .content($0) }, work)
    }

    /// Takes the turns one by one, runs the work, and gives them back.
    private func take<Value: Sendable>(
        _ subjects: [Subject], _ work: () async throws -> Value
    ) async throws -> Value {
        for subject in subjects { await enter(subject) }
        defer { for subject in subjects { leave(subject) } }
        return try await work()
    }

    /// Waits for the turn of a subject.
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

    /// Gives the turn to the next waiting task.
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
