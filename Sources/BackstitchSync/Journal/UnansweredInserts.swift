import Backstitch
import Foundation

/// Objects whose inserts were sent and whose answer is not known: the server may have them. Kept until the answer is stored, so that after
/// a crash or a lost answer one's own record is not taken for another one's.
///
/// Each batch adds some thousand keys and takes them away again, so they are a plain list.
struct UnansweredInserts: Sendable, Equatable {
    private var list: [ObjectKey] = []

    /// The objects, for many look-ups.
    var keys: Set<ObjectKey> { Set(list) }

    /// Adds objects that are not there yet.
    mutating func add(_ more: some Sequence<ObjectKey>) { list += more }

    mutating func remove(_ answered: [ObjectKey]) {
        let answered = Set(answered)
        list.removeAll { answered.contains($0) }
    }
}

extension UnansweredInserts {
    /// Reads what ``data`` wrote: the keys, one behind the other.
    init(_ data: Data?) throws {
        guard let data else { return }
        guard let keys = ObjectKey.keys(Array(data)) else {
            throw BackstitchError(
                .storeFailure, "the store's note of inserts under way is damaged: it has \(data.count) bytes",
                key: SyncMetadata.unanswered)
        }
        list = keys
    }

    /// The note as it is kept; nil when there is none.
    var data: Data? { list.isEmpty ? nil : Data(ObjectKey.bytes(list[...])) }
}

extension JournalReading {
    func unansweredInserts() throws -> UnansweredInserts {
        try UnansweredInserts(metadata(for: SyncMetadata.unanswered))
    }
}
