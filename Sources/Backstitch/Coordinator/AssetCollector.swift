import BackstitchSupport
import Foundation
import Logging

/// Frees the bytes that nothing names in a coordinator's stores: by itself after they are opened, and on request.
///
/// One collection runs at a time. A store delays a collection while another runs, so two at the same time would free
/// less than each of them was asked to.
final class AssetCollector: Sendable {
    private static let threads = WorkerPool(name: "Backstitch.assets", limit: 1)

    // Held for a whole collection, which may take seconds.
    private let turn = NSLock()
    // Used only while `turn` is held.
    nonisolated(unsafe) private var isDue = true

    /// Runs `collection` after the one that is under way. It replaces the collection of the opening, if that one has
    /// not begun.
    func collect(_ collection: () throws -> Int) throws -> Int {
        try turn.withLock {
            isDue = false
            return try collection()
        }
    }

    /// Collects in these stores on a separate thread, unless ``collect(_:)`` was called before that thread begins.
    func collectLater(_ stores: [any PersistentStore]) {
        for store in stores {
            Self.threads.submit { [weak store] in
                guard let store else { return }
                self.turn.withLock {
                    if self.isDue { Self.collect(in: store) }
                }
            }
        }
    }

    private static func collect(in store: any PersistentStore) {
        do { _ = try store.collectAssets() } catch let error as BackstitchError where error.code == .storeClosed {
            // The next opening frees the bytes.
        } catch {
            Logger(label: "backstitch.assets").warning(
                "the bytes of unused assets could not be freed", metadata: ["error": "\(error)"])
        }
    }
}
