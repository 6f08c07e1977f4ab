import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// The content of a shared zone's record of keys, as JSON. It has the current key, sealed for each participant. It also
/// has the former keys, encrypted with the current one.
///
/// An opened current key proves the sealer of the whole document: the document's digest is part of the sealing.
struct ZoneKeysDocument: Codable, Equatable {
    /// The name of the record, and of its type.
    static let recordName = "backstitch_keys"
    /// The field of the record with the document.
    static let field = "keys"
    /// The limits of a document. A longer one, or one with more entries of a kind, is rejected unread.
    static let mostBytes = 512 << 10
    static let mostRecipients = 200
    static let mostFormerKeys = 1_000

    /// A participant with the sealed current key.
    struct Recipient: Codable, Equatable {
        let user: String
        /// The participant's public key (``SharePublicKey/data``).
        let key: Data
        /// The encapsulated key; `sealed` is the ciphertext (RFC 9180).
        let encapsulated: Data
        let sealed: Data
    }

    /// A replaced key, encrypted with the current one (AES-256-GCM).
    struct Former: Codable, Equatable {
        let id: String
        let box: Data
    }

    var version = 1
    /// Grows by at least one with each document of the zone. So an earlier document in the place of a later one is
    /// detected.
    let generation: Int64
    /// The name of the current key.
    let key: String
    /// The public key of the owner. The owner's device has made the document.
    let sealer: Data
    let former: [Former]
    var recipients: [Recipient]

    /// Reads a document from its record.
    ///
    /// - Throws: ``ZoneKeysFault`` for bytes without a valid document.
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
        guard document.version == 1 else {
            throw ZoneKeysFault("its form \(document.version) is newer than this version knows")
        }
        guard document.generation > 0, document.generation < .max, EncryptionKey.isID(document.key),
            document.recipients.count <= Self.mostRecipients, document.former.count <= Self.mostFormerKeys,
            Set(document.former.map(\.id) + [document.key]).count == document.former.count + 1
        else { throw ZoneKeysFault("it has an invalid number or name") }
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

    /// A hash of everything except the sealed keys of the participants. Each part follows its length, so no two
    /// documents are hashed from the same bytes.
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
