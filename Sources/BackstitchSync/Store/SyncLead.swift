import Backstitch
import BackstitchSupport
import Foundation
import Logging

/// Decides which of several users of a store syncs it, in one process or in many. It also ensures that all of them use
/// the same zone.
final class SyncLead: Sendable {
    /// The lock that all users of the store share; nil if it has no locks.
    private let presence: (any StoreLock)?
    /// The lock of the leader; nil if the store cannot be open elsewhere.
    private let lead: (any StoreLock)?
    private let scope: String
    /// The proof of this process's lead; nil if the store cannot be open elsewhere.
    let claim: SyncLeadClaim?
    private let bell = LossSignal()
    private let state = Locked(State())

    private struct State {
        var isEnded = false
        /// The number of lost locks.
        var losses = 0
        var wait: Task<Void, Never>?
    }

    /// The time between two checks whether the lead is free, in milliseconds.
    private static let pause: Int64 = 300

    /// - Parameters:
    ///   - place: The place of the wrapped store; nil for memory.
    ///   - scope: The zone to sync it with.
    ///   - holder: A unique name of this user of the store.
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
            // The reference is weak, because the lock keeps its loss handler, which keeps this.
            SyncLeadClaim(name: holder) { [weak lead] in try lead?.take(.exclusive) ?? false }
        }
    }

    /// The lock files of the processes, for a store without its own locks.
    static func files(of place: URL) -> [String] { [place.path + ".sync-lock", place.path + ".sync-open"] }

    /// Joins the users of the store, takes the lead if it is free, and reads the stored state of sync.
    ///
    /// - Returns: The stored state, and whether this user syncs the store.
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
                // Another process with the open store is syncing it with the zone that it knows, so the zone cannot
                // change.
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

    /// Begins to tell the driver about the lead, and waits for it if another one has it.
    func begin(_ services: SyncServices, _ driver: SyncDriver, isLeader: Bool) {
        bell.answer { [weak self, weak driver] in
            guard let self, let driver else { return }
            self.state.withLock { $0.losses += 1 }
            driver.tell(.lostLead)
            self.wait(services, driver)
        }
        if !isLeader { wait(services, driver) }
    }

    /// Stops waiting for the lead.
    func end() {
        let wait = state.withLock { state in
            state.isEnded = true
            defer { state.wait = nil }
            return state.wait
        }
        wait?.cancel()
    }

    /// Releases the locks, so that others can lead.
    func release() {
        lead?.release()
        presence?.release()
    }

    /// Checks repeatedly whether the leader has gone, and takes the lead then.
    private func wait(_ services: SyncServices, _ driver: SyncDriver) {
        state.withLock { state in
            guard !state.isEnded, state.wait == nil else { return }
            state.wait = Task { [weak self, weak driver] in
                var told = ""
                while (try? await services.clock.sleep(milliseconds: Self.pause)) != nil {
                    guard let self, let driver else { return }
                    do { if try await self.takesOver(services, driver) { return } } catch let error as BackstitchError {
                        if error.code == .storeClosed { return }
                        // The next check tries again.
                        guard told != error.message else { continue }
                        told = error.message
                        Logger(label: "backstitch.sync").warning("cannot take over", metadata: ["error": "\(error)"])
                    } catch { return }
                }
            }
        }
    }

    /// - Returns: Whether there is nothing left to wait for.
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
    /// Creates the error for a store that is synced with another zone elsewhere.
    static func syncedElsewhere(_ known: String, not scope: String) -> BackstitchError {
        BackstitchError(
            .storeFailure,
            "the store is open elsewhere, and is synced there with \(known); here it was opened for \(scope). Open it with the same "
                + "options, or close it there first: it then begins anew with the other zone")
    }
}

/// Reports the loss of a lock; a loss before the handler is set is reported when it is set.
private final class LossSignal: Sendable {
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
