import BackstitchSupport
import Foundation
import Logging

/// Collects the bytes that nothing names in a coordinator's stores: after their opening by itself, and when it is
/// asked.
///
/// One collection runs at a time. A store puts off a collection while another runs, so that two at once would free less
/// than each of them was asked to.
final class AssetCollector: Sendable {
    private static let threads = WorkerPool(name: "Backstitch.assets", limit: 1)

    // Held for a whole collection, which may take seconds.
    private let turn = NSLock()
    // Used while `turn` is held only.
    nonisolated(unsafe) private var isDue = true

    /// Runs `collection` after the one that is under way. It takes the place of the one of the opening, where that has
    /// not begun.
    func collect(_ collection: () throws -> Int) throws -> Int {
        try turn.withLock {
            isDue = false
            return try collection()
        }
    }

    /// Collects in these stores on a thread of its own, unless somebody has asked for it before that thread came to it.
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
            // The next opening does it.
        } catch {
            Logger(label: "backstitch.assets").warning(
                "bytes that nothing names could not be freed", metadata: ["error": "\(error)"])
        }
    }
}
