public import Backstitch
public import Foundation

/// An asset that should come by itself and is not here yet.
public struct MissingAsset: Sendable, Hashable {
    /// The object.
    public var objectID: ObjectID
    /// The attribute.
    public var key: String
    /// Its bytes, as the server says.
    public var size: Int64
    /// How often it could not be had.
    public var attempts: Int
    /// Why it could not be had the last time; nil before the first try.
    public var reason: String?
    /// Before when it is not tried again; nil for the next cycle.
    public var nextTry: Date?
}

extension SyncController {
    /// The assets that should come by themselves and are not here, in order of their objects' keys: why, and when they
    /// are tried again. A failure is kept, so it shows after a restart too.
    public func missingAssets() async throws -> [MissingAsset] {
        try await services.onStore { [services] store in try store.wantedAssets(services.settings) }
            .sorted { ($0.objectID, $0.key) < ($1.objectID, $1.key) }
            .map { wanted in
                MissingAsset(
                    objectID: wanted.objectID, key: wanted.key, size: wanted.reference.size,
                    attempts: wanted.failure?.attempts ?? 0, reason: wanted.failure?.reason,
                    nextTry: wanted.failure.map { Date(milliseconds: $0.nextTry) })
            }
    }

    /// Lets assets that could not be had be tried again without waiting, and begins a cycle.
    public func retryMissingAssets() async throws {
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
