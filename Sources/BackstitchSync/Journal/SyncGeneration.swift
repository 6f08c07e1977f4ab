import Backstitch
import BackstitchSupport
import Foundation

/// The number of sync's steps in a store, as this process has left it.
///
/// The journal counts each step that brings changes into the store, and each reset, by any process. A page or an answer
/// is valid only for the store's state at its request. It is applied only if the count is still the known one. The
/// comparison is part of the transaction that applies it. Otherwise an old record could replace a newer one from
/// another process. Nothing would correct this later, since the newer record would not be read again.
///
/// A process may lose the lead without knowing it. It then cannot even begin, since the journal names the leader.
///
/// A rejected page or answer is treated as if it had been lost. Every step is made for this: the page is read again,
/// and the next pull shows the result of the push, before anything else is sent.
package final class SyncGeneration: Sendable {
    /// Held for whole transactions.
    private let lock = NSLock()
    private let state = Locked(State())
    /// The claim of this process to lead; nil if no other process can have the store open.
    private let lead: SyncLeadClaim?
    /// The zone of this process, if the process syncs the store with one certain zone.
    private let scope: String?

    private struct State {
        /// The count as this process has left it; nil before its first look.
        var known: Int64?
        /// The count at the end of the current transaction.
        var coming: Int64?
        /// Whether earlier requests are invalid, although the count is known.
        var isVoid = false
        /// Whether another process has moved the store, and ``takeMoved()`` has not reported it yet.
        var isMoved = false

        func holds(_ number: Int64) -> Bool { (known ?? number) == number && !isVoid }
    }

    /// Begins without a known count.
    package init(lead: SyncLeadClaim? = nil, scope: String? = nil) { (self.lead, self.scope) = (lead, scope) }

    /// Accepts the present state of the store, at a moment without any earlier work under way.
    ///
    /// - Returns: The result of `body`, and whether another process has moved the store since this process last knew
    ///   it.
    /// - Throws: ``SyncFailure`` of the kind `superseded` if another process leads.
    func begin<Result>(
        in store: any JournalingStore, _ body: (any JournalReading) throws -> Result
    ) throws -> (Result, isMoved: Bool) {
        if let begun = try beginAsNoted(in: store, body) { return begun }
        // The other process may have noted its name after it had lost the lock. The lock decides.
        guard let lead, try lead.isHeld() else { throw Self.superseded }
        try takeLead(of: store) { journal in
            // The store may be synced with another zone by now. The next takeover finds this out.
            guard try scope == nil || journal.value(of: .scope) == scope else { throw Self.superseded }
        }
        guard let begun = try beginAsNoted(in: store, body) else { throw Self.superseded }
        return begun
    }

    /// As ``begin(in:_:)``; nil if the journal names another process as the leader.
    private func beginAsNoted<Result>(
        in store: any JournalingStore, _ body: (any JournalReading) throws -> Result
    ) throws -> (Result, isMoved: Bool)? {
        try lock.withLock {
            let read = try store.readJournal { journal -> (Result, Int64)? in
                if let lead, let leader = try journal.value(of: .leader), leader != lead.name { return nil }
                return (try body(journal), try journal.generation())
            }
            guard let (result, now) = read else { return nil }
            let isMoved = state.withLock { state in
                let isMoved = state.known != now
                (state.known, state.isVoid) = (now, false)
                if isMoved { state.isMoved = true }
                return isMoved
            }
            return (result, isMoved)
        }
    }

    /// Whether another process has moved the store since the last call. That process may have noted something unknown
    /// here, such as assets to download. Callers ask at the end of a step: a step that fails later reports nothing.
    func takeMoved() -> Bool {
        state.withLock { state in
            defer { state.isMoved = false }
            return state.isMoved
        }
    }

    /// Checks that changes chosen from the store for sending are still up to date. A process may pause between the
    /// choice and the sending for any time. This does not wait for a running step of this process.
    ///
    /// - Throws: ``SyncFailure`` of the kind `superseded` if another process has moved the store.
    func requireUnmoved(_ store: any JournalingStore) throws {
        let before = state.withLock { $0.known }
        let now = try store.readJournal { try $0.generation() }
        try state.withLock { state in
            let last = state.coming ?? state.known ?? now
            guard !state.isVoid, (before ?? now) <= now, now <= last else { throw Self.superseded }
        }
    }

    /// Makes this process the leader. Running steps of other processes are rejected from now on.
    ///
    /// - Parameter check: Throws if this process must not lead.
    func takeLead(of store: any JournalingStore, _ check: (any JournalReading) throws -> Void) throws {
        try reset(store) { journal in
            try check(journal)
            try journal.noteLeader(lead?.name)
        }
    }

    /// Runs `body` in a transaction. The transaction is undone if the store's count is not the known one.
    ///
    /// - Parameter isStep: Whether the transaction brings changes into the store, and so is counted.
    /// - Throws: ``SyncFailure`` of the kind `superseded` if another process has moved the store; otherwise the errors
    ///   of `body`.
    func write<Result>(
        to store: any JournalingStore, isStep: Bool = true, _ body: (any JournalWriting) throws -> Result
    ) throws -> Result {
        try lock.withLock {
            defer { state.withLock { $0.coming = nil } }
            let (result, number) = try store.writeJournal(author: SyncAuthor.name) { journal in
                let number = try journal.generation()
                guard state.withLock({ $0.holds(number) }) else { throw Self.superseded }
                let result = try body(journal)
                return (result, isStep ? try countStep(in: journal) : number)
            }
            state.withLock { $0.known = number }
            return result
        }
    }

    /// Runs `body`, a reset, in a transaction of its own. Running steps of all processes are rejected afterwards.
    ///
    /// - Parameter isAsked: Whether the program requests the reset. It then runs in any state of the store.
    /// - Throws: As ``write(to:isStep:_:)`` if the program has not requested it.
    func reset<Result>(
        _ store: any JournalingStore, isAsked: Bool = true, _ body: (any JournalWriting) throws -> Result
    ) throws -> Result {
        try lock.withLock {
            defer { state.withLock { $0.coming = nil } }
            let (result, former, number) = try store.writeJournal(author: SyncAuthor.name) { journal in
                let former = try journal.generation()
                guard isAsked || state.withLock({ $0.holds(former) }) else { throw Self.superseded }
                return (try body(journal), former, try countStep(in: journal))
            }
            state.withLock { state in
                // If another process has moved the store before, this is still to be noticed.
                if former == state.known ?? former { state.known = number }
                state.isVoid = true
            }
            return result
        }
    }

    private func countStep(in journal: any JournalWriting) throws -> Int64 {
        let next = try journal.countStep()
        state.withLock { $0.coming = next }
        return next
    }

    static let superseded = SyncFailure(
        .superseded,
        BackstitchError(
            .saveConflict, "the store was synced or reset elsewhere meanwhile; the server's answer is read again"))
}

extension JournalReading {
    /// The number of sync's steps so far.
    func generation() throws -> Int64 { try value(of: .generation) ?? 0 }
}

extension JournalWriting {
    /// Notes the leading process; nil if no other process can have the store open.
    func noteLeader(_ name: String?) throws {
        if let name { try set(.leader, to: name) } else { try remove(.leader) }
    }

    /// Counts a step, so that results of earlier requests are rejected. Returns the new count.
    @discardableResult
    func countStep() throws -> Int64 {
        let next = try generation() + 1
        try set(.generation, to: next)
        return next
    }
}
