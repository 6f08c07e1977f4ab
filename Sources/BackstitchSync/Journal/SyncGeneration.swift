import Backstitch
import BackstitchSupport
import Foundation

/// How far sync has moved a store, as this process has left it.
///
/// The journal counts each step by which sync brings something into the store, and each reset, whoever makes it. A page
/// or an answer holds for the state in which it was asked for: it is taken only while the count is the one that this
/// process knows, which is compared in the transaction that takes it. Where another process has been at work meanwhile,
/// a record that is old by now could take a newer one's place, and nothing would mend that, since the newer one has
/// been read.
///
/// A process that has lost the lead and has not heard of it does not even begin: the journal names the one that leads.
///
/// A page or an answer that is not taken is as good as lost on its way, which every step is made for: the page is read
/// again, and whatever became of the push shows in the next pull, before anything else is sent.
package final class SyncGeneration: Sendable {
    /// Held over whole transactions.
    private let lock = NSLock()
    private let state = Locked(State())
    /// By what this process leads; nil where nobody else can have the store open.
    private let lead: SyncLeadClaim?
    /// The zone with which this process syncs the store; nil where that does not matter.
    private let scope: String?

    private struct State {
        /// The count as this process has left it; nil before it has looked.
        var known: Int64?
        /// The count as the transaction under way leaves it.
        var coming: Int64?
        /// Whether what was asked for before does not hold any more, although the count is known.
        var isVoid = false
        /// Whether somebody else has moved the store, and nobody has asked yet.
        var isMoved = false

        func holds(_ number: Int64) -> Bool { (known ?? number) == number && !isVoid }
    }

    /// Knows nothing yet.
    package init(lead: SyncLeadClaim? = nil, scope: String? = nil) { (self.lead, self.scope) = (lead, scope) }

    /// Takes the store as it is, at a moment at which nothing is under way that began earlier.
    ///
    /// - Returns: The result of `body`, and whether anybody else has moved the store since this process last knew it.
    /// - Throws: ``SyncFailure`` of the kind `superseded` where another process leads.
    func begin<Result>(
        in store: any JournalingStore, _ body: (any JournalReading) throws -> Result
    ) throws -> (Result, isMoved: Bool) {
        if let begun = try beginAsNoted(in: store, body) { return begun }
        // The other one may have noted its name when it had lost the lock already: that decides.
        guard let lead, try lead.isHeld() else { throw Self.superseded }
        try takeLead(of: store) { journal in
            // It may be synced with another zone by now, which is for the next takeover to find.
            guard try scope == nil || journal.value(of: .scope) == scope else { throw Self.superseded }
        }
        guard let begun = try beginAsNoted(in: store, body) else { throw Self.superseded }
        return begun
    }

    /// The same; nil where the journal names another process.
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

    /// Whether anybody else has moved the store since this was last asked: it may have noted then what is not known
    /// here, such as assets to download. It is asked when a step has come to its end, since one that fails after its
    /// beginning tells nothing.
    func takeMoved() -> Bool {
        state.withLock { state in
            defer { state.isMoved = false }
            return state.isMoved
        }
    }

    /// Makes sure that what was chosen from the store to be sent is not out of date: a process may stand still between
    /// the two for any time. It does not wait for a step of this process that is under way.
    ///
    /// - Throws: ``SyncFailure`` of the kind `superseded` where somebody else has moved the store.
    func requireUnmoved(_ store: any JournalingStore) throws {
        let before = state.withLock { $0.known }
        let now = try store.readJournal { try $0.generation() }
        try state.withLock { state in
            let last = state.coming ?? state.known ?? now
            guard !state.isVoid, (before ?? now) <= now, now <= last else { throw Self.superseded }
        }
    }

    /// Has this process lead: steps that another one may still have under way are not taken any more.
    ///
    /// - Parameter check: Throws where it may not.
    func takeLead(of store: any JournalingStore, _ check: (any JournalReading) throws -> Void) throws {
        try reset(store) { journal in
            try check(journal)
            try journal.noteLeader(lead?.name)
        }
    }

    /// Runs `body` in a transaction that is undone where the store is not as this process knows it.
    ///
    /// - Parameter isStep: Whether it brings something into the store, so that it counts.
    /// - Throws: ``SyncFailure`` of the kind `superseded` where somebody else has moved the store; else what `body`
    ///   throws.
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

    /// Runs `body`, a reset, in a transaction of its own. Steps under way, in any process, are not taken any more.
    ///
    /// - Parameter isAsked: Whether the program wants it, whatever has become of the store meanwhile.
    /// - Throws: As ``write(to:isStep:_:)`` where nobody has asked for it.
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
                // That somebody else has moved it before is still to be met.
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
            .saveConflict, "somebody else has synced or reset the store meanwhile; what the server said is read again"))
}

extension JournalReading {
    /// How many steps sync has made.
    func generation() throws -> Int64 { try value(of: .generation) ?? 0 }
}

extension JournalWriting {
    /// Notes which process leads; nil where nobody else can have the store open.
    func noteLeader(_ name: String?) throws {
        if let name { try set(.leader, to: name) } else { try remove(.leader) }
    }

    /// Counts a step, so that nothing that was asked for before it is taken afterwards. Gives the new count.
    @discardableResult
    func countStep() throws -> Int64 {
        let next = try generation() + 1
        try set(.generation, to: next)
        return next
    }
}
