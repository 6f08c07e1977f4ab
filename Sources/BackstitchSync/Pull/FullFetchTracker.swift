import Backstitch
import BackstitchSupport
import CloudWire

/// Which records a full fetch has met so far. It is kept in memory only: after a restart in the middle the fetch begins
/// again.
package final class FullFetchTracker: Sendable {
    private struct State: Sendable {
        var keys: Set<ObjectKey> = []
        var known = 0
    }

    private let state = Locked<State?>(nil)

    /// A memory of no fetch.
    package init() {}

    /// Whether a full fetch is remembered from its beginning.
    var isActive: Bool { state.withLock { $0 != nil } }

    /// The records met so far.
    var seen: Set<ObjectKey> { state.withLock { $0?.keys ?? [] } }

    /// How many of them were known before.
    var known: Int { state.withLock { $0?.known ?? 0 } }

    func begin() { state.withLock { $0 = State() } }

    /// Adds a page's records, of which so many were known before.
    func add(_ more: [ObjectKey], known: Int) {
        state.withLock { state in
            state?.keys.formUnion(more)
            state?.known += known
        }
    }

    func end() { state.withLock { $0 = nil } }
}

/// Why everything is fetched again.
enum SweepMode: String {
    /// The token was refused: deletions may have been missed.
    case missed
    /// The model or this version changed: what is known may be read differently.
    case reapply
    /// The program asked for it: what it has may be damaged.
    case asked
    /// The server has gone back to an earlier state: what it lacks was not deleted, but lost.
    case restored

    /// Tells how a record with a known tag is treated. In a full fetch only a tag that names its history is sure not to
    /// be another history's.
    static func fate(ofKnown tag: String, in page: FetchedPage, _ mode: SweepMode?) -> KnownTag {
        switch mode {
        case nil: .skip
        case .missed, .restored: isProven(tag, in: page) ? .skip : .compare
        case .asked: isProven(tag, in: page) ? .acknowledged : .compare
        case .reapply: .apply
        }
    }

    private static func isProven(_ tag: String, in page: FetchedPage) -> Bool {
        page.history != nil && ChangeTag(tag).map { $0.history > 0 } ?? false
    }
}
