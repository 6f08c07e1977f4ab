import Backstitch
package import CloudWire
package import Foundation

extension EncryptionKey {
    /// The value of a record's field, decrypted with this key; nil if the key does not open it.
    package func opened(_ bytes: Data, recordName: String, recordType: String, field: String) -> WireValue? {
        let place = SealedPlace(recordName: recordName, recordType: recordType, field: field)
        guard let envelope = SealedEnvelope(bytes), envelope.keyID == id,
            case .value(let value)? = envelope.open(with: self, at: place).flatMap({ SealedContent($0) })
        else { return nil }
        return value
    }
}

/// Encrypts and decrypts the fields of one record.
struct SealedFields {
    let ring: EncryptionKeyRing
    let recordName: String
    let recordType: String

    /// The envelope of a content under the current key.
    ///
    /// - Throws: ``RecordFault`` if there is no current key.
    func seal(_ content: SealedContent, field: String) throws(RecordFault) -> SealedEnvelope {
        let bytes = try content.bytes
        switch ring.current {
        case .success(let key)?:
            do { return try SealedEnvelope(bytes, with: key, at: place(field)) } catch {
                throw RecordFault("the field \(field) cannot be encrypted with the key \"\(key.id)\": \(error)")
            }
        case .failure(let fault)?: throw RecordFault("the field \(field) waits: \(fault.reason)", key: .noCurrent)
        case nil: throw RecordFault("the field \(field) waits: no key was asked for", key: .noCurrent)
        }
    }

    /// The content of a field, and the name of its key.
    ///
    /// - Throws: ``RecordFault`` if the bytes are no envelope, or the key is missing or does not open it.
    func open(_ bytes: Data, field: String) throws(RecordFault) -> (content: SealedContent, keyID: String) {
        guard let envelope = SealedEnvelope(bytes) else {
            throw RecordFault(
                "the field \(field) of the record \(recordName) is not encrypted in a form that this version "
                    + "knows, but the model has an encrypted attribute")
        }
        let id = envelope.keyID
        switch ring[id] {
        case .unasked: throw RecordFault("the key \"\(id)\" was not asked for", key: .unasked(id))
        case .missing(let reason):
            throw RecordFault(
                "the field \(field) of the record \(recordName) is under the key \"\(id)\", which this device "
                    + "does not have: \(reason)", key: .missing(id))
        case .key(let key):
            guard let plain = envelope.open(with: key, at: place(field)), let content = SealedContent(plain) else {
                ring.noteMisfit(id)
                throw RecordFault(
                    "the field \(field) of the record \(recordName) is not what the key \"\(id)\" encrypted: "
                        + "the key here is another one of that name, or the value was changed",
                    key: .misfit(id, key.fingerprint))
            }
            return (content, id)
        }
    }

    private func place(_ field: String) -> SealedPlace {
        SealedPlace(recordName: recordName, recordType: recordType, field: field)
    }
}
