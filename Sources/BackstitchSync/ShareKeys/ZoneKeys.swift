import Backstitch
import BackstitchSupport
import Foundation

/// The opened keys of a shared zone.
struct ZoneKeys: Sendable {
    /// A participant who gets the keys.
    struct Recipient: Sendable, Hashable {
        let user: String
        let key: SharePublicKey
    }

    var generation: Int64
    /// The key for encrypting values.
    var current: EncryptionKey
    /// The replaced keys, the newest first.
    var former: [EncryptionKey]
    /// The public key of the sealer. Its device has made the document of the keys.
    var sealer: SharePublicKey
    var recipients: [Recipient]

    /// The key with this name.
    subscript(id: String) -> EncryptionKey? { current.id == id ? current : former.first { $0.id == id } }

    /// A new key. Its name is derived from its bytes, so two keys never have the same name.
    static func newKey() throws -> EncryptionKey {
        let bytes = SealingCipher.newKey()
        return try EncryptionKey(id: name(of: bytes), bytes: bytes)
    }

    private static func name(of bytes: Data) -> String {
        "zone-\(SHA256.hash(data: Data("backstitch.share.name".utf8) + bytes).prefix(8).hexadecimal)"
    }

    /// Seals the keys for all recipients, by HPKE (RFC 9180) in its authenticated mode. So only the holder of the
    /// owner's private key can make keys for a zone. Former keys beyond the limit are left out, the oldest first.
    ///
    /// - Throws: The errors of the cryptographic library.
    func sealed(by identity: ShareIdentity, at place: ZoneKeysPlace) throws -> ZoneKeysDocument {
        let former = try former.prefix(ZoneKeysDocument.mostFormerKeys).map { key in
            let box = try SealingCipher.seal(
                key.bytes, with: current.bytes, authenticating: Self.place(ofFormer: key.id))
            return ZoneKeysDocument.Former(id: key.id, box: box)
        }
        var document = ZoneKeysDocument(
            generation: generation, key: current.id, sealer: identity.publicKey.data, former: former)
        let digest = document.digest(of: recipients.map { ($0.user, $0.key) }), info = place.info(document)
        document.recipients = try recipients.map { recipient in
            let (encapsulated, sealed) = try KeyAgreement.seal(
                current.bytes, for: recipient.key.raw, by: identity.privateKey, info: info, authenticating: digest)
            return ZoneKeysDocument.Recipient(
                user: recipient.user, key: recipient.key.data, encapsulated: encapsulated, sealed: sealed)
        }
        return document
    }

    /// Opens a document made by one of these sealers.
    ///
    /// - Throws: ``ZoneKeysFault`` if another sealer has made it, if it belongs to another zone, or if it has nothing
    ///   for the user.
    init(
        _ document: ZoneKeysDocument, with identities: [ShareIdentity], from sealers: Set<SharePublicKey>,
        at place: ZoneKeysPlace
    ) throws(ZoneKeysFault) {
        guard let sealer = try? SharePublicKey(data: document.sealer), sealers.contains(sealer) else {
            throw ZoneKeysFault("it was sealed with a key that is not trusted as the owner's")
        }
        let recipients: [Recipient] = document.recipients.compactMap { recipient in
            (try? SharePublicKey(data: recipient.key)).map { Recipient(user: recipient.user, key: $0) }
        }
        guard recipients.count == document.recipients.count else {
            throw ZoneKeysFault("it has an invalid public key")
        }
        let found = zip(identities.map(\.publicKey), identities).lazy.compactMap { key, identity in
            recipients.firstIndex { $0.key == key }.map { (identity, document.recipients[$0]) }
        }.first
        guard let (identity, own) = found else {
            throw ZoneKeysFault("it has no key for this user: the owner's device has not sealed one yet")
        }
        let digest = document.digest(of: recipients.map { ($0.user, $0.key) })
        guard
            let bytes = try? Self.open(own, digest, with: identity, from: sealer, info: place.info(document)),
            bytes.count == 32, Self.name(of: bytes) == document.key,
            let current = try? EncryptionKey(id: document.key, bytes: bytes)
        else {
            throw ZoneKeysFault("it was not sealed in this form by the owner, for this user and for this zone")
        }
        var former: [EncryptionKey] = []
        for sealed in document.former {
            guard
                let bytes = try? SealingCipher.open(
                    sealed.box, with: current.bytes, authenticating: Self.place(ofFormer: sealed.id)),
                Self.name(of: bytes) == sealed.id, let key = try? EncryptionKey(id: sealed.id, bytes: bytes)
            else { throw ZoneKeysFault("a former key in it cannot be opened") }
            former.append(key)
        }
        (generation, self.current, self.former) = (document.generation, current, former)
        (self.sealer, self.recipients) = (sealer, recipients)
    }

    private static func open(
        _ own: ZoneKeysDocument.Recipient, _ digest: Data, with identity: ShareIdentity, from sealer: SharePublicKey,
        info: Data
    ) throws -> Data {
        try KeyAgreement.open(
            own.sealed, own.encapsulated, with: identity.privateKey, from: sealer.raw, info: info,
            authenticating: digest)
    }

    private static func place(ofFormer id: String) -> Data { Data("backstitch.share.former \(id)".utf8) }

    init(
        generation: Int64, current: EncryptionKey, former: [EncryptionKey], sealer: SharePublicKey,
        recipients: [Recipient]
    ) {
        (self.generation, self.current, self.former) = (generation, current, former)
        (self.sealer, self.recipients) = (sealer, recipients)
    }
}
