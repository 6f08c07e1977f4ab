import Backstitch
import BackstitchSupport

/// The lock of a store without its own locks that other processes write to. The journal holds a note with the holder's
/// name and a number. The number rises as long as the holder lives.
///
/// A process that wants the lock watches the number with its own clock: clocks of different machines are never
/// compared. The lock is weaker than one of the system, because a holder may be late with its next number. The steps of
/// a late holder are rejected, see ``SyncGeneration``.
final class LeaseLock: StoreLock {
    private let store: any JournalingStore
    private let clock: any WallClock
    private let workers = WorkerPool(name: "backstitch-lease", limit: 1)
    private let onLoss: @Sendable () -> Void
    /// The unique name of this lock.
    private let holder: String
    private let state = Locked(State())

    private struct State {
        var keeper: Task<Void, Never>?
        /// The last seen note of another holder, with the uptime of its first sight.
        var seen: (note: String, since: Int64)?
    }

    /// The time between two numbers, in milliseconds.
    static let beat: Int64 = 2_000
    /// The time without a rise after which the holder counts as ended, in milliseconds.
    static let expiry: Int64 = 10_000

    /// - Parameter holder: A name that no other lock has.
    init(
        _ store: any JournalingStore, holder: String, clock: any WallClock, onLoss: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.holder = holder
        self.clock = clock
        self.onLoss = onLoss
    }

    deinit { state.withLock { $0.keeper }?.cancel() }

    /// Takes the lock; every mode is exclusive.
    func take(_ mode: StoreLockMode) throws -> Bool {
        let note = try store.readJournal { try $0.value(of: .lease) }
        if state.withLock({ $0.keeper != nil }) {
            // A late process may have been taken for dead.
            if let note, isOwn(note) { return true }
            lose()
            return false
        }
        if let note, !isOwn(note), !isExpired(note) { return false }
        let isTaken = try store.writeJournal(author: SyncAuthor.name) { journal in
            guard try journal.value(of: .lease) == note else { return false }
            try journal.set(.lease, to: "\(holder) 0")
            return true
        }
        if isTaken { keep() }
        return isTaken
    }

    /// Returns whether another holder's note has not changed for the expiry time.
    private func isExpired(_ note: String) -> Bool {
        let now = clock.uptime()
        return state.withLock { state in
            if let seen = state.seen, seen.note == note { return now - seen.since >= Self.expiry }
            state.seen = (note, now)
            return false
        }
    }

    func release() {
        let keeper = state.withLock { state in
            defer { state.keeper = nil }
            return state.keeper
        }
        guard let keeper else { return }
        keeper.cancel()
        // If the store can no longer be reached, the lease expires.
        try? store.writeJournal(author: SyncAuthor.name) { journal in
            guard let note = try journal.value(of: .lease), isOwn(note) else { return }
            try journal.remove(.lease)
        }
    }

    private func isOwn(_ note: String) -> Bool { note.hasPrefix(holder + " ") }

    private func keep() {
        let task = Task { [weak self, clock] in
            var number = 0, last = clock.uptime()
            while (try? await clock.sleep(milliseconds: Self.beat)) != nil {
                guard let self else { return }
                number += 1
                // The next write may replace a failed one, as long as other processes do not take this one for dead.
                let isKept = try? await self.workers.run { [number] in try self.renew(number) }
                if isKept == true { last = clock.uptime() }
                if isKept == false || clock.uptime() - last >= Self.expiry / 2 { return self.lose() }
            }
        }
        state.withLock { $0.keeper = task }
    }

    /// - Returns: Whether the lock is still this holder's.
    private func renew(_ number: Int) throws -> Bool {
        try store.writeJournal(author: SyncAuthor.name) { journal in
            guard let note = try journal.value(of: .lease), isOwn(note) else { return false }
            try journal.set(.lease, to: "\(holder) \(number)")
            return true
        }
    }

    private func lose() {
        let keeper = state.withLock { state in
            defer { state.keeper = nil }
            return state.keeper
        }
        guard let keeper else { return }
        keeper.cancel()
        onLoss()
    }
}
