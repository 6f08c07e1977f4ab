import Backstitch
import CloudWire
import Crypto
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the keys of a shared zone, sealed for its people")
struct ZoneKeysTests {
    private static let alice = ShareIdentity.generated(), bob = ShareIdentity.generated()
    private static let carol = ShareIdentity.generated()
    private static let place = ZoneKeysPlace(
        container: "iCloud.test", environment: "development", owner: "_alice", zone: "Backstitch.Club")

    private func keys(generation: Int64 = 1, former: Int = 0) throws -> ZoneKeys {
        ZoneKeys(
            generation: generation, current: try ZoneKeys.newKey(),
            former: try (0..<former).map { _ in try ZoneKeys.newKey() }, sealer: Self.alice.publicKey,
            recipients: [
                .init(user: "_alice", key: Self.alice.publicKey), .init(user: "_bob", key: Self.bob.publicKey),
            ])
    }

    private func open(
        _ document: ZoneKeysDocument, _ identities: [ShareIdentity] = [bob],
        from sealers: Set<SharePublicKey> = [alice.publicKey], at place: ZoneKeysPlace = place
    ) throws -> ZoneKeys { try ZoneKeys(document, with: identities, from: sealers, at: place) }

    private func reason(_ body: () throws -> ZoneKeys) -> String? {
        do { return try body().generation < 0 ? "" : nil } catch { return (error as? ZoneKeysFault)?.reason }
    }

    @Test("each of them opens what was sealed, with all former keys, and nobody else does")
    func opening() throws {
        let keys = try keys(former: 3)
        let document = try ZoneKeysDocument(keys.sealed(by: Self.alice, at: Self.place).bytes)
        for identity in [Self.alice, Self.bob] {
            let opened = try open(document, [identity])
            #expect(opened.current.bytes == keys.current.bytes && opened.current.id == keys.current.id)
            #expect(opened.former.map(\.bytes) == keys.former.map(\.bytes))
            #expect(opened.recipients == keys.recipients && opened.generation == 1)
        }
        #expect(reason { try open(document, [Self.carol]) }?.contains("no key for this user") == true)
        // A former identity opens as well.
        #expect(try open(document, [Self.carol, Self.bob]).current.id == keys.current.id)
    }

    @Test("a document of another zone, owner, container or environment is none of this one")
    func places() throws {
        let document = try keys().sealed(by: Self.alice, at: Self.place)
        for other in [
            ZoneKeysPlace(
                container: "iCloud.tes", environment: "tdevelopment", owner: "_alice", zone: "Backstitch.Club"),
            ZoneKeysPlace(
                container: "iCloud.test", environment: "production", owner: "_alice", zone: "Backstitch.Club"),
            ZoneKeysPlace(container: "iCloud.test", environment: "development", owner: "_bob", zone: "Backstitch.Club"),
            ZoneKeysPlace(container: "iCloud.test", environment: "development", owner: "_alice", zone: "Backstitch"),
        ] {
            #expect(reason { try open(document, at: other) }?.contains("not sealed in this form by the owner") == true)
        }
    }

    @Test("a document that somebody else has sealed is not taken, also where it says that the owner has")
    func sealers() throws {
        let forged = try keys().sealed(by: Self.carol, at: Self.place)
        #expect(reason { try open(forged) }?.contains("not trusted") == true)
        let mislabelled = ZoneKeysDocument(
            generation: forged.generation, key: forged.key, sealer: Self.alice.publicKey.data, former: forged.former,
            recipients: forged.recipients)
        #expect(reason { try open(mislabelled) }?.contains("not sealed in this form by the owner") == true)
    }

    @Test("no part of a document can be exchanged for one of another")
    func parts() throws {
        let first = try keys(generation: 1, former: 2).sealed(by: Self.alice, at: Self.place)
        let second = try keys(generation: 2, former: 2).sealed(by: Self.alice, at: Self.place)
        func mixed(
            generation: Int64? = nil, key: String? = nil, former: [ZoneKeysDocument.Former]? = nil,
            recipients: [ZoneKeysDocument.Recipient]? = nil
        ) -> ZoneKeysDocument {
            ZoneKeysDocument(
                generation: generation ?? first.generation, key: key ?? first.key, sealer: first.sealer,
                former: former ?? first.former, recipients: recipients ?? first.recipients)
        }
        var renamed = first.recipients
        renamed[0] = .init(
            user: "_mallory", key: renamed[0].key, encapsulated: renamed[0].encapsulated, sealed: renamed[0].sealed)
        for document in [
            mixed(generation: 3), mixed(key: second.key), mixed(former: second.former), mixed(former: []),
            mixed(former: first.former.reversed()), mixed(recipients: second.recipients),
            mixed(recipients: Array(first.recipients.dropFirst())), mixed(recipients: first.recipients.reversed()),
            mixed(recipients: renamed),
        ] { #expect(reason { try open(document) } != nil) }
        #expect(reason { try open(mixed()) } == nil)
    }

    @Test("bytes that are no document are told, and change nothing")
    func malformed() throws {
        let good = try keys().sealed(by: Self.alice, at: Self.place)
        let bad: [(Data, String)] = [
            (Data(), "decoded"), (Data("{}".utf8), "decoded"), (Data(repeating: 0x7B, count: 3_000), "decoded"),
            (Data(repeating: 0x20, count: ZoneKeysDocument.mostBytes + 1), "bytes, more than"),
            (Data(try good.bytes.dropLast()), "decoded"),
            (
                Data(
                    String(decoding: try good.bytes, as: UTF8.self).replacing("\"version\":1", with: "\"version\":2")
                        .utf8),
                "newer"
            ),
            (try ZoneKeysDocument(generation: 0, key: good.key, sealer: good.sealer, former: []).bytes, "number"),
            (try ZoneKeysDocument(generation: .max, key: good.key, sealer: good.sealer, former: []).bytes, "number"),
            (try ZoneKeysDocument(generation: 1, key: "a b", sealer: good.sealer, former: []).bytes, "name"),
            (
                try ZoneKeysDocument(
                    generation: 1, key: good.key, sealer: good.sealer,
                    former: (0...ZoneKeysDocument.mostFormerKeys).map { .init(id: "k\($0)", box: Data()) }
                ).bytes, "number"
            ),
            (
                try ZoneKeysDocument(
                    generation: 1, key: good.key, sealer: good.sealer, former: [.init(id: good.key, box: Data())]
                ).bytes,
                "name"
            ),
        ]
        for (bytes, expected) in bad {
            let fault = #expect(throws: ZoneKeysFault.self) { _ = try ZoneKeysDocument(bytes) }
            #expect(fault?.reason.contains(expected) == true, "\(fault?.reason ?? "none"), not \(expected)")
        }
        #expect(throws: ZoneKeysFault.self) {
            _ = try ZoneKeysDocument(WireRecord(recordName: "backstitch_keys", recordType: "backstitch_keys"))
        }
    }

    @Test("a hundred people and a thousand former keys are a fraction of a record, and what is beyond is left out")
    func size() throws {
        var keys = try keys(former: 1_005)
        keys.recipients =
            (0..<100).map { number in
                .init(user: "_\(number)-0123456789abcdef0123456789abcdef", key: ShareIdentity.generated().publicKey)
            } + keys.recipients
        let bytes = try keys.sealed(by: Self.alice, at: Self.place).bytes
        print("counted: \(bytes.count) bytes of keys for \(keys.recipients.count) people with 1000 former keys")
        #expect(bytes.count < 256 << 10)
        let opened = try open(try ZoneKeysDocument(bytes))
        #expect(opened.former.map(\.id) == keys.former.prefix(1_000).map(\.id))
    }

    @Test("an identity is the same wherever its key is, another one for another key, and nobody reads it out of a text")
    func identities() async throws {
        let key = try TestKeys.key("k1"), derived = ShareIdentity(derivedFrom: key)
        #expect(derived.publicKey == ShareIdentity(derivedFrom: key).publicKey)
        #expect(derived.publicKey != ShareIdentity(derivedFrom: try TestKeys.key("k2")).publicKey)
        #expect(derived.privateKey != key.bytes)
        let again = try ShareIdentity(privateKey: derived.privateKey)
        #expect(again.publicKey == derived.publicKey)
        var dumped = ""
        dump(derived, to: &dumped)
        for text in [dumped, "\(derived)", String(reflecting: derived)] {
            #expect(!text.contains(derived.privateKey.base64EncodedString()))
            #expect(!text.contains(derived.privateKey.map { String(format: "%02x", $0) }.joined()))
            #expect(text.contains(derived.publicKey.fingerprint))
        }
        let keys = try TestKeys("k1")
        try keys.rotate(to: "k2", replacing: "k1")
        let both = try await DerivedShareIdentity(keys).identities().map(\.publicKey)
        #expect(both == [try TestKeys.key("k2"), key].map { ShareIdentity(derivedFrom: $0).publicKey })
        #expect(throws: BackstitchError.self) { try ShareIdentity(privateKey: Data(repeating: 1, count: 31)) }
    }

    @Test("a public key has a fingerprint to compare; other bytes are none, points without a secret among them")
    func publicKeys() throws {
        let key = Self.alice.publicKey
        #expect(key.fingerprint.wholeMatch(of: /([0-9a-f]{4} ){7}[0-9a-f]{4}/) != nil)
        #expect(key.fingerprint != Self.bob.publicKey.fingerprint)
        #expect(SharePublicKey(wireText: key.wireText) == key && SharePublicKey(wireText: "?") == nil)
        for bytes in [
            Data(), Data(key.data.dropLast()), Data([2]) + key.data.dropFirst(), Data([1]) + Data(count: 32),
            Data([1, 1]) + Data(count: 31),
        ] { #expect(throws: BackstitchError.self) { try SharePublicKey(data: bytes) } }
    }
}
