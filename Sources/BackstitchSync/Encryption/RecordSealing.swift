import Backstitch
import CloudWire
import Foundation

/// The keys of the encrypted fields in an object's record, as this device last saw or sent it.
struct RecordSealing: Sendable, Hashable {
    /// The names of the keys.
    var keyIDs: Set<String> = []
    /// The envelopes of its assets, by attribute. They contain everything needed to read the bytes of the assets.
    var assets: [String: Data] = [:]
}

/// Stored as a line with the keys' names, then a line for each asset: its attribute, and the envelope in base64.
extension RecordSealing: SyncPropertyValue {
    init(storedForm: Data) {
        let lines = String(decoding: storedForm, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        keyIDs = Set(lines[0].split(separator: " ").map(String.init))
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            if words.count == 2 { assets[String(words[0])] = Data(base64Encoded: String(words[1])) }
        }
    }

    var storedForm: Data? {
        guard !keyIDs.isEmpty else { return nil }
        let lines = assets.sorted { $0.key < $1.key }.map { "\($0) \($1.base64EncodedString())" }
        return Data(([keyIDs.sorted().joined(separator: " ")] + lines).joined(separator: "\n").utf8)
    }
}

extension SyncNotes where Subject == SealingSubject, Value == RecordSealing {
    /// The keys of objects' records.
    static var sealing: Self { Self(prefix: "sync.sealing/") }
}

extension JournalReading {
    /// The objects of a part, with the keys of their records.
    func sealings(ofPart part: Int) throws -> [(key: ObjectKey, sealing: RecordSealing)] {
        let prefix = SyncNotes.sealing.prefix
        return try metadata(withPrefix: prefix + SealingSubject.prefix(ofPart: part)).compactMap { name, data in
            SealingSubject(noteName: String(name.dropFirst(prefix.count))).map {
                ($0.key, RecordSealing(storedForm: data))
            }
        }
    }
}
