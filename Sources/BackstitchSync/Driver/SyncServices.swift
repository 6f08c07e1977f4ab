import Backstitch
import CloudWire
import Foundation

/// What the driver's effects work with.
struct SyncServices: Sendable {
    let store: any JournalingStore
    let client: CloudClient
    let clock: any SyncClock
    let workers: WorkerPool
    let gate: StoreGate
    let sweep: SweepMemory
    let settings: ApplySettings
    let transfers: AssetTransfers
    let changeHandler: @Sendable (StoreChanges) -> Void

    /// Runs `work` on the store, on a thread of sync's own.
    func onStore<Result: Sendable>(
        _ work: @escaping @Sendable (any JournalingStore) throws -> Result
    ) async throws -> Result {
        try await workers.run { [gate, store] in try gate.pass { try work(store) } }
    }

    /// Tells contexts of changes; before anybody is told that a cycle has ended.
    func announce(_ changes: StoreChanges) {
        if !changes.isEmpty { changeHandler(changes) }
    }

    var batchBuilder: BatchBuilder {
        BatchBuilder(
            model: settings.model, zone: settings.zone, storeIdentifier: store.identifier, limits: client.limits,
            assets: settings.assets, sentInserts: settings.sentInserts)
    }
}
