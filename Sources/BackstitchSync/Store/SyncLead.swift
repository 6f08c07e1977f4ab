import Backstitch
import BackstitchSupport
import Foundation
import Logging

/// Which of several that have a store open, in one process or in many, syncs it; and that all of them sync it with one
/// zone.
final class SyncLead: Sendable {
    /// Shared by all who have the store open; nil where it has no locks.
    private let presence: (any StoreLock)?
    /// Held by who syncs; nil where nobody else can have the store open.
    private let lead: (any StoreLock)?
    private let scope: String
    /// By what this process leads; nil where nobody else can have the store open.
    let claim: SyncLeadClaim?
    private let bell = LossBell()
    private let state = Locked(State())

    private struct State {
        var isEnded = false
        /// How often a lock was lost.
        var losses = 0
        var wait: Task<Void, Never>?
    }

    /// Milliseconds between two looks whether the lead is free.
    private static let pause: Int64 = 300

    /// - Parameters:
    ///   - place: Where the wrapped store is; nil for memory.
    ///   - scope: The zone that it is to be synced with.
    ///   - holder: A name that nobody else has.
    init(
        of store: any JournalingStore, at place: URL?, scope: String, holder: String, clock: any WallClock
    ) throws {
        self.scope = scope
        let onLoss: @Sendable () -> Void = { [bell] in bell.ring() }
        if let own = try store.makeLock("sync", onLoss: onLoss) {
            lead = own
            presence = try store.makeLock("open", onLoss: onLoss)
        } else if let place, place.isFileURL {
            (lead, presence) = (StoreFileLock(Self.files(of: place)[0]), StoreFileLock(Self.files(of: place)[1]))
        } else {
            lead = store.isWrittenByOthers ? LeaseLock(store, holder: holder, clock: clock, onLoss: onLoss) : nil
            presence = nil
        }
        claim = lead.map { lead in
            // The lock keeps those it tells of its loss, which keep this.
            SyncLeadClaim(name: holder) { [weak lead] in try lead?.take(.exclusive) ?? false }
        }
    }

    /// The files by which processes agree, where the store has no locks of its own.
    static func files(of place: URL) -> [String] { [place.path + ".sync-lock", place.path + ".sync-open"] }

    /// Enters, takes the lead if it is free, and recalls how far sync has come.
    ///
    /// - Returns: The state that the store remembers, and whether it is this one that syncs.
    /// - Throws: ``BackstitchError/Code/storeFailure`` when others have the store open and sync it with another zone.
    func enter(
        _ store: any JournalingStore, _ model: SyncedModel, in database: SyncDatabase = .private,
        largestAsset: Int64 = SyncOptions.usualLargestAsset
    ) throws -> (memory: PersistedSyncState, isLeader: Bool) {
        do {
            guard try presence?.take(.shared) ?? true else { throw refusal("another zone") }
            let isLeader = try lead?.take(.exclusive) ?? true
            let memory = try store.openSync(
                scope: scope, database: database, model: model, largestAsset: largestAsset
            ) { known in
                // A process that has it open works, and has promised its users, to sync it with the zone that it knows.
                guard isLeader, try presence?.take(.exclusive) ?? true else { throw refusal(known) }
            }
            _ = try presence?.take(.shared)
            if isLeader { try SyncGeneration(lead: claim).takeLead(of: store) { _ in } }
            return (memory, isLeader)
        } catch {
            release()
            throw error
        }
    }

    /// From now on has the driver told who leads, and waits for the lead where another one has it.
    func begin(_ services: SyncServices, _ driver: SyncDriver, isLeader: Bool) {
        bell.answer { [weak self, weak driver] in
            guard let self, let driver else { return }
            self.state.withLock { $0.losses += 1 }
            driver.tell(.lostLead)
            self.wait(services, driver)
        }
        if !isLeader { wait(services, driver) }
    }

    /// Stops waiting.
    func end() {
        let wait = state.withLock { state in
            state.isEnded = true
            defer { state.wait = nil }
            return state.wait
        }
        wait?.cancel()
    }

    /// Lets others lead.
    func release() {
        lead?.release()
        presence?.release()
    }

    /// Looks now and then whether who leads has gone, and takes its place.
    private func wait(_ services: SyncServices, _ driver: SyncDriver) {
        state.withLock { state in
            guard !state.isEnded, state.wait == nil else { return }
            state.wait = Task { [weak self, weak driver] in
                var told = ""
                while (try? await services.clock.sleep(milliseconds: Self.pause)) != nil {
                    guard let self, let driver else { return }
                    do { if try await self.takesOver(services, driver) { return } } catch let error as BackstitchError {
                        if error.code == .storeClosed { return }
                        // The next look tries again.
                        guard told != error.message else { continue }
                        told = error.message
                        Logger(label: "backstitch.sync").warning("cannot take over", metadata: ["error": "\(error)"])
                    } catch { return }
                }
            }
        }
    }

    /// - Returns: Whether nothing is left to wait for.
    private func takesOver(_ services: SyncServices, _ driver: SyncDriver) async throws -> Bool {
        let losses = state.withLock { $0.losses }
        let event = try await services.onStore { [self] _ -> SyncEngine.Event? in
            guard try presence?.take(.shared) ?? true, try lead?.take(.exclusive) ?? true else { return nil }
            do { return try services.takeOver(scope) } catch {
                lead?.release()
                throw error
            }
        }
        guard let event else { return false }
        driver.tell(event)
        let isLost = state.withLock { state in
            guard state.losses == losses else { return true }
            state.wait = nil
            return false
        }
        if isLost { driver.tell(.lostLead) }
        return !isLost
    }

    private func refusal(_ known: String) -> BackstitchError { .syncedElsewhere(known, not: scope) }
}

extension BackstitchError {
    /// The store belongs to another zone than the one that it was opened with.
    static func syncedElsewhere(_ known: String, not scope: String) -> BackstitchError {
        BackstitchError(
            .storeFailure,
            "the store is open elsewhere, and is synced there with \(known); here it was opened for \(scope). Open it with the same "
                + "options, or close it there first: it then begins anew with the other zone")
    }
}

/// Hands on that a lock was lost, from the time at which somebody wants to hear it.
private final class LossBell: Sendable {
    private let state = Locked<(answer: (@Sendable () -> Void)?, hasRung: Bool)>((nil, false))

    func ring() {
        let answer = state.withLock { state in
            state.hasRung = state.answer == nil
            return state.answer
        }
        answer?()
    }

    func answer(_ answer: @escaping @Sendable () -> Void) {
        let hasRung = state.withLock { state in
            state.answer = answer
            return state.hasRung
        }
        if hasRung { answer() }
    }
}
