import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// The content of the record in which a shared zone has its keys: the current one, sealed for each participant, and
/// the former ones, under the current one. JSON.
///
/// Opening the current key proves that the whole document is of its sealer: its digest is part of what was
/// sealed.
struct ZoneKeysDocument: Codable, Equatable {
    /// The name of the record, and of its type.
    static let recordName = "backstitch_keys"
    /// The field of the record.
    static let field = "keys"
    /// The limits of a document: none that is longer, or has more of one kind, is looked at.
    static let mostBytes = 512 << 10
    static let mostRecipients = 200
    static let mostFormerKeys = 1_000

    /// A participant with the current key.
    struct Recipient: Codable, Equatable {
        let user: String
        /// The participant's public key (``SharePublicKey/data``).
        let key: Data
        /// The encapsulated key, and the ciphertext (RFC 9180).
        let encapsulated: Data
        let sealed: Data
    }

    /// A key that another one has replaced, under the current one (AES-256-GCM).
    struct Former: Codable, Equatable {
        let id: String
        let box: Data
    }

    var version = 1
    /// Is one more with each document of the zone: an earlier one in the place of a later one is found out.
    let generation: Int64
    /// The name of the current key.
    let key: String
    /// The public key of the owner, whose device has made the document.
    let sealer: Data
    let former: [Former]
    var recipients: [Recipient]

    /// Reads a document.
    ///
    /// - Throws: ``ZoneKeysFault`` for bytes that are none.
    init(_ record: WireRecord) throws(ZoneKeysFault) {
        guard case .bytes(let bytes)? = record.value(Self.field) else {
            throw ZoneKeysFault("it has no bytes in the field \(Self.field)")
        }
        try self.init(bytes)
    }

    init(_ bytes: Data) throws(ZoneKeysFault) {
        guard bytes.count <= Self.mostBytes else {
            throw ZoneKeysFault("it has \(bytes.count) bytes, more than \(Self.mostBytes)")
        }
        guard let document = try? JSONDecoder().decode(Self.self, from: bytes) else {
            throw ZoneKeysFault("it cannot be decoded")
        }
        guard document.version == 1 else { throw ZoneKeysFault("its form \(document.version) is a later one") }
        guard document.generation > 0, document.generation < .max, EncryptionKey.isID(document.key),
            document.recipients.count <= Self.mostRecipients, document.former.count <= Self.mostFormerKeys,
            Set(document.former.map(\.id) + [document.key]).count == document.former.count + 1
        else { throw ZoneKeysFault("it has a number or a name that no document has") }
        self = document
    }

    init(
        generation: Int64, key: String, sealer: Data, former: [Former], recipients: [Recipient] = []
    ) {
        (self.generation, self.key, self.sealer) = (generation, key, sealer)
        (self.former, self.recipients) = (former, recipients)
    }

    var bytes: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(self)
        }
    }

    /// A hash of all but what is sealed for each participant: each part behind its length, so that no two documents
    /// have the same bytes.
    func digest(of recipients: [(user: String, key: SharePublicKey)]) -> Data {
        var hash = SHA256()
        func add(_ data: Data) {
            withUnsafeBytes(of: UInt64(data.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: data)
        }
        add(Data("backstitch.share.document".utf8))
        add(Data(generation.littleEndianBytes))
        for data in [Data(key.utf8), sealer] { add(data) }
        add(Data(Int64(former.count).littleEndianBytes))
        for former in former {
            add(Data(former.id.utf8))
            add(former.box)
        }
        for recipient in recipients {
            add(Data(recipient.user.utf8))
            add(recipient.key.data)
        }
        return Data(hash.finalize())
    }
}
