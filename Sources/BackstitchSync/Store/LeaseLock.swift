import Backstitch
import BackstitchSupport

/// The lock of a store that other processes write to, and that has no locks of its own: a note in its journal of who
/// has it, with a number that rises as long as that one lives.
///
/// A process that wants it watches the number, by a clock of its own: clocks of different machines are not compared. It
/// is not as sure as a lock of the system, since a process may be late with its next number; steps that such a process
/// still makes are not taken, see ``SyncGeneration``.
final class LeaseLock: StoreLock {
    private let store: any JournalingStore
    private let clock: any WallClock
    private let workers = WorkerPool(name: "backstitch-lease", limit: 1)
    private let onLoss: @Sendable () -> Void
    /// Names this lock.
    private let holder: String
    private let state = Locked(State())

    private struct State {
        var keeper: Task<Void, Never>?
        /// The note of another one's lease that was last seen, and since when.
        var seen: (note: String, since: Int64)?
    }

    /// Milliseconds between two numbers.
    static let beat: Int64 = 2_000
    /// Milliseconds after which a number that does not rise is of a process that has ended.
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

    /// Takes the lock, always for itself alone.
    func take(_ mode: StoreLockMode) throws -> Bool {
        let note = try store.readJournal { try $0.value(of: .lease) }
        if state.withLock({ $0.keeper != nil }) {
            // A process that is late may have been taken for dead.
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

    /// Whether another one's note has been the same for so long that it has ended.
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
        // Where the store cannot be asked any more the lease expires.
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
                // A write that fails may be made up for by the next one, as long as nobody takes this process for dead.
                let isKept = try? await self.workers.run { [number] in try self.renew(number) }
                if isKept == true { last = clock.uptime() }
                if isKept == false || clock.uptime() - last >= Self.expiry / 2 { return self.lose() }
            }
        }
        state.withLock { $0.keeper = task }
    }

    /// - Returns: Whether nobody else has taken it meanwhile.
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
