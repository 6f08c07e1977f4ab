import BackstitchTestKit
import CloudWire
import Crypto
import Foundation
import HTTPTypes
import Testing

@testable import BackstitchServer

/// The parts of a signature's check.
@Suite("parts of signed requests") struct SignaturePartsTests {
    @Test(
        "dates are read leniently",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2016-01-25T22:15:43Z", 1_453_760_143_000),
            ("2016-01-25T22:15:43+00:00", 1_453_760_143_000), ("2016-01-25T22:15:43.123456Z", 1_453_760_143_000),
            ("2016-01-25t22:15:43z", 1_453_760_143_000), ("2016-01-25 22:15:43-00:00", 1_453_760_143_000),
            ("2016-01-25T23:45:43+01:30", 1_453_760_143_000), ("2016-01-25T17:15:43-0500", 1_453_760_143_000),
            ("2024-02-29T12:00:00Z", 1_709_208_000_000), ("2000-03-01T00:00:00+00", 951_868_800_000),
            ("2100-12-31T23:59:59Z", 4_133_980_799_000),
        ] as [(String, Int64)])
    func dates(_ text: String, _ milliseconds: Int64) {
        #expect(SignatureDate.milliseconds(text) == milliseconds)
    }

    @Test(
        "what is no date is none",
        arguments: [
            "", "Z", "2016-01-25", "2016-01-25T22:15:43", "2016-13-25T22:15:43Z", "2016-01-32T22:15:43Z",
            "2016-01-25T24:15:43Z", "2016-01-25T22:60:43Z", "2016-01-25T22:15:61Z", "2016-01-25T22:15:43.Z",
            "2016-01-25T22:15:43Zx", "2016-01-25T22:15:43+1:00", "2016-01-25T22:15:43+25:00", "16-01-25T22:15:43Z",
            "+016-01-25T22:15:43Z", "Mon, 25 Jan 2016 22:15:43 GMT", "２０16-01-25T22:15:43Z",
            "2016-01-25T22:15:43.00000000000000000000000000Z",
        ])
    func noDates(_ text: String) {
        #expect(SignatureDate.milliseconds(text) == nil)
    }

    @Test("signatures are kept as long as their dates hold, and so many for a key")
    func spent() throws {
        let spent = SpentSignatures(most: 3)
        func spend(_ number: UInt8, of key: String = "a", until end: Int64, at now: Int64) throws {
            try spent.spend([UInt8](repeating: number, count: 64), of: key, until: end, at: now)
        }
        try spend(1, until: 600_000, at: 0)
        #expect(throws: WireError.self) { try spend(1, until: 600_000, at: 600_000) }
        // Another key may have signed with the same nonce.
        try spend(1, of: "b", until: 600_000, at: 0)
        try spend(2, until: 700_000, at: 100_000)
        try spend(3, until: 1_200_000, at: 100_000)
        let error = #expect(throws: WireError.self) { try spend(4, until: 1_200_000, at: 100_000) }
        #expect(error?.code == .throttled && error?.retryAfter != nil)
        #expect(spent.count == 4)
        // Those whose dates hold no longer make room.
        try spend(4, until: 1_300_000, at: 661_000)
        #expect(spent.count == 3)
        #expect(throws: WireError.self) { try spend(3, until: 1_200_000, at: 661_000) }
    }

    @Test("the headers are there once each, and can be read")
    func headers() throws {
        #expect(try SignatureClaim([:]) == nil)
        #expect(try SignatureClaim([.signatureDate: "2016-01-25T22:15:43Z"]) == nil)
        let good: HTTPFields = [
            .keyID: "ab", .signatureDate: "2016-01-25T22:15:43Z",
            .signature: SignatureVectorTests.vectors[0].signature,
        ]
        #expect(try SignatureClaim(good)?.keyID == "ab")
        for name in [HTTPField.Name.keyID, .signatureDate, .signature] {
            for value in [nil, ""] {
                var headers = good
                headers[name] = value
                #expect(throws: WireError.self, "\(name) \(value ?? "missing")") { try SignatureClaim(headers) }
            }
            var twice = good
            twice.append(HTTPField(name: name, value: try #require(good[name])))
            #expect(throws: WireError.self, "\(name) twice") { try SignatureClaim(twice) }
        }
        for signature in ["x", "AAAA", String(repeating: "A", count: 1 << 20)] {
            var headers = good
            headers[.signature] = signature
            #expect(throws: WireError.self) { try SignatureClaim(headers) }
        }
    }

    @Test("a key is read as a file and as its bare text, and says its ID")
    func keys() throws {
        let key = P256.Signing.PrivateKey().publicKey
        let pem = key.pemRepresentation
        let bare = key.derRepresentation.base64EncodedString()
        let read = try ZoneServerConfiguration.ServerKey(publicKey: pem, userRecordName: "_robot")
        #expect(read.publicKey == bare)
        for text in [bare, pem + "\n", pem.replacingOccurrences(of: "\n", with: "\r\n"), "a comment\n" + pem] {
            #expect(try ZoneServerConfiguration.ServerKey(publicKey: text, userRecordName: "_robot") == read)
        }
        let known = try ZoneServerConfiguration.ServerKey(
            publicKey: SignatureVectorTests.publicKey, userRecordName: "_robot")
        #expect(known.keyID == SignatureVectorTests.keyID)
        let named = try ZoneServerConfiguration.ServerKey(
            keyID: String(repeating: "AB", count: 32), publicKey: bare, userRecordName: "_robot")
        #expect(named.keyID == String(repeating: "ab", count: 32))
    }

    @Test("what is no public key of the curve P-256 is refused, and a private key as what it is")
    func noKeys() throws {
        let key = P256.Signing.PrivateKey()
        let error = #expect(throws: ZoneServerError.self) {
            try ZoneServerConfiguration.ServerKey(publicKey: key.pemRepresentation, userRecordName: "_robot")
        }
        #expect(error?.code == .insecureConfiguration && error?.message.contains("-pubout") == true)
        let good = key.publicKey.derRepresentation.base64EncodedString()
        for text in [
            "", "no key", P384.Signing.PrivateKey().publicKey.pemRepresentation, String(good.dropLast(8)),
            key.publicKey.rawRepresentation.base64EncodedString(),
        ] {
            let error = #expect(throws: ZoneServerError.self) {
                try ZoneServerConfiguration.ServerKey(publicKey: text, userRecordName: "_robot")
            }
            #expect(error?.message.contains("P-256") == true)
        }
        for id in ["", "ab", String(repeating: "g", count: 64), String(repeating: "a", count: 66)] {
            let error = #expect(throws: ZoneServerError.self) {
                try ZoneServerConfiguration.ServerKey(keyID: id, publicKey: good, userRecordName: "_robot")
            }
            #expect(error?.message.contains("64") == true)
        }
    }

    @Test("keys and addresses that make no sense are refused by name")
    func configuration() throws {
        let key = try ZoneServerConfiguration.ServerKey(
            publicKey: SignatureVectorTests.publicKey, userRecordName: "_robot")
        func user(_ name: String, _ address: String) -> ZoneServerConfiguration.User {
            var user = ZoneServerConfiguration.User(userRecordName: name, webAuthToken: strong(name + address))
            user.emailAddress = address
            return user
        }
        let changes: [(String, (inout ZoneServerConfiguration) -> Void)] = [
            ("same ID", { $0.serverKeys = [key, key] }),
            (
                "userRecordName",
                {
                    $0.serverKeys = [key]; $0.serverKeys[0].userRecordName = ""
                }
            ),
            (
                "'no name'",
                {
                    $0.serverKeys = [key]; $0.serverKeys[0].containers = ["no name"]
                }
            ),
            (
                "no container",
                {
                    $0.serverKeys = [key]; $0.serverKeys[0].containers = []
                }
            ),
            ("is not an address", { $0.users = [user("a", "nobody")] }),
            ("is not an address", { $0.users = [user("a", "@b")] }),
            ("is not an address", { $0.users = [user("a", "a b@c")] }),
            ("same emailAddress", { $0.users = [user("a", "x@y.z"), user("b", "X@Y.Z")] }),
        ]
        for (word, change) in changes {
            var configuration = ZoneServerConfiguration(storage: .memory)
            configuration.containers = .any
            change(&configuration)
            let error = #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: configuration) }
            #expect(error?.message.contains(word) == true, "\(String(describing: error))")
        }
        var configuration = ZoneServerConfiguration(storage: .memory)
        configuration.containers = .any
        configuration.serverKeys = [key]
        configuration.users = [user("a", "x@y.z"), user("b", "b@y.z")]
        configuration.users.append(configuration.users[0])
        configuration.users[2].token = TokenDigest(of: strong("another"))
        #expect(!configuration.isDevelopment)
        #expect(throws: Never.self) { try ZoneServer(configuration: configuration) }
    }
}
