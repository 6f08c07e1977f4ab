import Backstitch
import BackstitchSupport
import Foundation

/// Objects whose inserts were sent and whose answer is not known: the server may have them. Kept until the answer is
/// stored, so that after a crash or a lost answer one's own record is not taken for another one's.
///
/// Each batch adds some thousand and takes them away again, so they are plain lists.
struct UnansweredInserts: Sendable, Equatable {
    /// An object, as it was when its insert was sent first.
    struct Insert: Sendable, Equatable {
        let key: ObjectKey
        /// The transaction up to which edits were in what was sent, if nobody else can have made the record; else 0. A
        /// record that only this device could have made has them, whenever the server turns out to have had it.
        let sequence: Int64
    }

    private var list: [Insert] = []

    /// The inserts by their objects, for many look-ups.
    var sequences: [ObjectKey: Int64] {
        Dictionary(list.map { ($0.key, $0.sequence) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds inserts of objects that are not there yet.
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
    /// Whether nobody but this device can have made the object's record: its key was made here, and is not sent again
    /// because the server has lost it or somebody has deleted it.
    var isMadeHereOnly: Bool { kind == .insert && firstSequence > 0 && objectID.key.isMadeByTime }

    /// Whether it is the insert of an object that others may know already.
    var isMadeAnew: Bool { kind == .insert && firstSequence == 0 }

    /// Turns it into the insert of an object that others may know already.
    mutating func makeAnew() {
        kind = .insert
        firstSequence = 0
        unblock()
    }
}

extension ObjectKey {
    /// Whether it is a UUID of version 7, as new objects have, and not made of something that others have as well.
    fileprivate var isMadeByTime: Bool { high >> 12 & 0xF == 7 }
}

extension UnansweredInserts: SyncPropertyValue {
    private static let format: UInt8 = 1

    /// The format, the keys and the sequences, each one behind the other; or keys only, as older versions wrote.
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
