import Backstitch
import BackstitchSupport
import Foundation

/// Objects with a sent insert and no known answer: the server may have them. They are kept until the answer is stored.
/// After a crash or a lost answer, the device thus recognises its own record.
///
/// Each batch adds some thousand objects and removes them again, so they are plain lists.
struct UnansweredInserts: Sendable, Equatable {
    /// An object, as at the first sending of its insert.
    struct Insert: Sendable, Equatable {
        let key: ObjectKey
        /// The last transaction with edits in the sent record, if only this device can have made the record; otherwise
        /// 0. A record that only this device could have made has these edits, whenever the server received it.
        let sequence: Int64
    }

    private var list: [Insert] = []

    /// The inserts by their objects, for many look-ups.
    var sequences: [ObjectKey: Int64] {
        Dictionary(list.map { ($0.key, $0.sequence) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds inserts of objects that are not in the list yet.
    mutating func add(_ more: some Sequence<Insert>) { list += more }

    mutating func remove(_ answered: [ObjectKey]) {
        let answered = Set(answered)
        list.removeAll { answered.contains($0.key) }
    }
}

extension UnansweredInserts.Insert {
    /// The insert of an entry, as it is sent.
    init(_ entry: OutboxEntry) {
        key = entry.objectID.key
        sequence = entry.isMadeHereOnly ? entry.sequence : 0
    }
}

extension OutboxEntry {
    /// Whether only this device can have made the object's record. Its key was made here. Also the record is not sent
    /// again after the server has lost it or another user has deleted it.
    var isMadeHereOnly: Bool { kind == .insert && firstSequence > 0 && objectID.key.isMadeByTime }

    /// Whether no user has edited the object: its record is only to be encrypted with another key.
    var hasNoEdits: Bool { kind == .update && fields.isEmpty }

    /// Turns the entry into the insert of an object that other devices may know already.
    mutating func makeAnew() {
        kind = .insert
        firstSequence = 0
        unblock()
    }
}

extension ObjectKey {
    /// Whether the key is a UUID of version 7, as new objects have. Other keys may be made from values that other
    /// devices have too.
    fileprivate var isMadeByTime: Bool { high >> 12 & 0xF == 7 }
}

extension UnansweredInserts: SyncPropertyValue {
    private static let format: UInt8 = 1

    /// The format, then all keys, then all sequences. Older versions wrote only keys.
    init(storedForm: Data) throws {
        let bytes = Array(storedForm), count = bytes.count / 24
        let isOld = bytes.count % 16 == 0
        guard isOld || bytes.count % 24 == 1 && bytes[0] == Self.format,
            let keys = ObjectKey.keys(isOld ? bytes : Array(bytes[1..<1 + count * 16]))
        else {
            throw BackstitchError(
                .storeFailure, "the store's note of inserts under way is damaged: it has \(bytes.count) bytes",
                key: SyncProperty.unanswered.name)
        }
        list = keys.enumerated().map { index, key in
            let place = 1 + count * 16 + index * 8
            return Insert(key: key, sequence: isOld ? 0 : Int64(littleEndianBytes: bytes[place..<place + 8]))
        }
    }

    var storedForm: Data? {
        guard !list.isEmpty else { return nil }
        var bytes = [Self.format] + ObjectKey.bytes(list.map(\.key)[...])
        bytes.reserveCapacity(1 + list.count * 24)
        for insert in list { bytes += insert.sequence.littleEndianBytes }
        return Data(bytes)
    }
}

extension JournalReading {
    func unansweredInserts() throws -> UnansweredInserts { try value(of: .unanswered) ?? UnansweredInserts() }
}
