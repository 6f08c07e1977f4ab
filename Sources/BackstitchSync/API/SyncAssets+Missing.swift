import Backstitch
import Foundation

extension SyncAssets {
    /// The automatic assets that are not here, in order of their objects' keys, with the reason and the time of the
    /// next try. A failure is stored, so it is still shown after a restart.
    public func missing() async throws -> [MissingAsset] {
        try await services.onStore { [services] store in try store.wantedAssets(services.settings) }
            .sorted { ($0.objectID, $0.key) < ($1.objectID, $1.key) }
            .map { wanted in
                MissingAsset(
                    objectID: wanted.objectID, key: wanted.key, size: wanted.reference.size,
                    attempts: wanted.failure?.attempts ?? 0, reason: wanted.failure?.reason,
                    nextTry: wanted.failure.map { Date(milliseconds: $0.nextTry) })
            }
    }

    /// Tries failed downloads again without waiting, and begins a cycle.
    public func retryMissing() async throws {
        try await services.onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { journal in
                for var wanted in try WantedAsset.all(in: journal) where wanted.failure != nil {
                    wanted.failure = nil
                    try journal.setNote(.wanted, of: wanted.place, to: wanted)
                }
            }
        }
        driver.tell(.trigger("missing assets are tried again", ticket: nil))
    }
}
