import Backstitch
import Foundation

/// Objects whose inserts were sent and whose answer is not known: the server may have them. Kept until the answer is stored, so that after
/// a crash or a lost answer one's own record is not taken for another one's.
struct UnansweredInserts: Sendable, Equatable {
    private(set) var keys: Set<ObjectKey> = []

    /// Whether the server may have the insert.
    func mayHaveArrived(_ entry: OutboxEntry) -> Bool { keys.contains(entry.objectID.key) }

    mutating func add(_ more: some Sequence<ObjectKey>) { keys.formUnion(more) }

    mutating func remove(_ known: some Sequence<ObjectKey>) { keys.subtract(known) }
}

extension UnansweredInserts {
    private static let keyLength = 16

    /// Reads what ``data`` wrote: the keys, one behind the other.
    init(_ data: Data?) throws {
        guard let data else { return }
        guard data.count % Self.keyLength == 0 else {
            throw BackstitchError(
                .storeFailure, "the store's note of inserts under way is damaged: it has \(data.count) bytes")
        }
        keys.reserveCapacity(data.count / Self.keyLength)
        data.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: Self.keyLength) {
                keys.insert(
                    ObjectKey(bigEndianBytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.keyLength])))
            }
        }
    }

    /// The note as it is kept; nil when there is none.
    var data: Data? {
        guard !keys.isEmpty else { return nil }
        var data = Data(capacity: keys.count * Self.keyLength)
        for key in keys.sorted() { key.withBytes { data.append(contentsOf: $0) } }
        return data
    }
}

extension JournalReading {
    func unansweredInserts() throws -> UnansweredInserts {
        try UnansweredInserts(metadata(for: SyncMetadata.unanswered))
    }
}
