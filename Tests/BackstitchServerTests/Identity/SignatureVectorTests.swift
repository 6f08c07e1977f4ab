import Backstitch
import BackstitchTestKit
import CloudWire
import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import BackstitchServer

/// Signatures of another implementation. They were made by `python3` with `cryptography` 48, in this way:
///
/// ```python
/// n = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
/// key = ec.derive_private_key(int.from_bytes(sha256(b"backstitch").digest(), "big") % (n - 1) + 1, ec.SECP256R1())
/// digest = base64.b64encode(sha256(body).digest()).decode() if hashed else ""
/// der = key.sign(f"{date}:{digest}:{path}".encode(), ec.ECDSA(hashes.SHA256()))
/// r, s = utils.decode_dss_signature(der)
/// twin = utils.encode_dss_signature(r, n - s)
/// ```
@Suite("signatures of others") struct SignatureVectorTests {
    struct Vector: Sendable {
        var date = "2026-09-21T14:13:20Z"
        var body = ""
        var target: String
        var signature: String
        /// The same signature with the other s, which anyone can compute from it.
        var twin: String
    }

    static let publicKey =
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEA38CXEgmRNm+wVsCYTaKsHhDEm/tqze4Yttf"
        + "Mpx6Ct04986Di/Tnnt40uf/KMQrGC8tKNHTNTj+FddazcICaFg=="
    static let keyID = "a847382a7773a9da78a8e21822c037589e70c29daac8d5d2d9d3d77ac4d671a1"
    private static let base = "/database/1/iCloud.test/development/public/"

    static let vectors = [
        Vector(
            body: #"{"records":[{"recordName":"r"}]}"#, target: base + "records/lookup",
            signature:
                "MEYCIQDQnGDp+tFFs+s/4B1PWjjbtktCnfztjm7fMjeqbtRiLgIhAMakiGdCxMMYNPOIgkZKBLyGUhL4O61WmzWwupDpUysz",
            twin: "MEUCIQDQnGDp+tFFs+s/4B1PWjjbtktCnfztjm7fMjeqbtRiLgIgOVt3l707POjLDHd9ubX7QzaU57VrakfpvgkQMhMP+h4="),
        Vector(
            body: #"{"operations":[]}"#, target: base + "records/modify?ckAPIToken=x",
            signature:
                "MEQCIA81I5bmQPimGJGnPYf8KT2qCIiBPsldEaR0wG/L2KSqAiBQH8+lVZ4E4FPOeQ2hz0gTDaISHOP+hIyKg180TATTDw==",
            twin: "MEUCIA81I5bmQPimGJGnPYf8KT2qCIiBPsldEaR0wG/L2KSqAiEAr+AwWaph+yCsMYbyXjC37K9E6JDDGRn4aTZrjrBeUkI="),
        Vector(
            target: base + "zones/list",
            signature:
                "MEQCIF5k62q8pE7sZjmyWO6o5FEpV7h24VhJgbTiS+Y+X30KAiAHGoihrRAYfuHmkvZtYFe5DXbcpqYuYClgpjgnsfYvDg==",
            twin: "MEUCIF5k62q8pE7sZjmyWO6o5FEpV7h24VhJgbTiS+Y+X30KAiEA+OV3XVLv54IeGW0Jkp+oRq9wHgcA6T5bkxOSm0ps9kM="),
        // An empty body as nothing.
        Vector(
            target: base + "zones/list",
            signature:
                "MEUCIFcFOA6ImvQ6zhoNCwZo9VooTGW1gbsQ5gx0Vzs2P8tgAiEA3C2ialLBPanBpG5UynlO/ZHzwhG6nxhL7fn/lgCm5n8=",
            twin: "MEQCIFcFOA6ImvQ6zhoNCwZo9VooTGW1gbsQ5gx0Vzs2P8tgAiAj0l2UrT7CVz5bkas1hrECKvM4m+x4hjkFv8ss+7w+0g=="),
        Vector(
            date: "2026-09-21T14:13:20+00:00", target: base + "zones/list?remapEnums=true",
            signature:
                "MEYCIQCXO/USz0Bow7KFj42wMdijUwDSMeiXFEJVzDXWhzaIHwIhALc7i+F4Vv+WfjvggK4n0wFkopoQf9Z2tixrLQysiBj4",
            twin: "MEUCIQCXO/USz0Bow7KFj42wMdijUwDSMeiXFEJVzDXWhzaIHwIgSMR0HYepAGqBxB9/Udgs/lhEYJ0nQSfOx06dtk/bDFk="),
    ]

    private let clock = VirtualClock()

    private func authenticator() throws -> Authenticator {
        var configuration = ZoneServerConfiguration(storage: .memory)
        configuration.clock = clock
        configuration.serverKeys = [try .init(publicKey: Self.publicKey, userRecordName: "_robot")]
        // Asked for nothing: all that it may know is in the configuration.
        let storage = try ZoneStorage.inMemory(runner: configuration.runner, random: configuration.random)
        try storage.assets.removeIfTemporary()
        let service = ZoneService(storage: storage, configuration: configuration)
        return Authenticator(
            configuration, service.context.users, TokenRenewal(service.context, service.accounts.identities),
            service.context.signer)
    }

    private func verify(
        _ vector: Vector, _ endpoint: WireEndpoint, with authenticator: Authenticator
    ) async throws -> ZoneServerConfiguration.ServerKey {
        let headers: HTTPFields = [
            .keyID: Self.keyID, .signatureDate: vector.date, .signature: vector.signature,
        ]
        let claim = try #require(try SignatureClaim(headers))
        let signed = try await authenticator.open(
            claim, for: endpoint, of: "iCloud.test", .public, target: vector.target, from: "1.2.3.4")
        try authenticator.verify(signed, body: ByteBuffer(string: vector.body))
        return signed.key
    }

    @Test("those of Python are taken, in each variant", arguments: vectors)
    func valid(_ vector: Vector) async throws {
        #expect(try await verify(vector, .zonesList, with: authenticator()).userRecordName == "_robot")
        #expect(try await verify(vector, .zonesList, with: authenticator()).keyID == Self.keyID)
        var twin = vector
        twin.signature = vector.twin
        #expect(try await verify(twin, .zonesList, with: authenticator()).userRecordName == "_robot")
    }

    @Test("an altered byte of what is signed is noticed", arguments: vectors)
    func altered(_ vector: Vector) async throws {
        let changes: [(inout Vector) -> Void] = [
            { $0.date = $0.date.replacingOccurrences(of: "20", with: "21") },
            { $0.date = $0.date.replacingOccurrences(of: "T", with: "t") }, { $0.body += " " },
            { $0.target = $0.target.replacingOccurrences(of: "public", with: "Public") },
            { $0.target = $0.target.replacingOccurrences(of: "iCloud.test", with: "iCloud.tesu") },
            { vector in
                let old = vector.signature
                vector.signature = Self.vectors.map(\.signature).first { $0 != old } ?? ""
            },
        ]
        for (number, change) in changes.enumerated() {
            var copy = vector
            change(&copy)
            let error = await #expect(throws: WireError.self) {
                try await verify(copy, .zonesList, with: authenticator())
            }
            #expect(error?.code == .authenticationFailed, "\(number)")
        }
    }

    @Test("a change is taken once, also with the other half of its signature turned round; what reads may come again")
    func replay() async throws {
        let vector = Self.vectors[1]
        var twin = vector
        twin.signature = vector.twin
        for (first, second) in [(vector, vector), (vector, twin), (twin, vector)] {
            let authenticator = try authenticator()
            _ = try await verify(first, .recordsModify, with: authenticator)
            let error = await #expect(throws: WireError.self) {
                try await verify(second, .recordsModify, with: authenticator)
            }
            #expect(error?.code == .authenticationFailed && error?.reason.contains("anew") == true)
            #expect(authenticator.spent.count == 1)
        }
        let authenticator = try authenticator()
        for vector in [vector, vector, twin] { _ = try await verify(vector, .recordsLookup, with: authenticator) }
        #expect(authenticator.spent.count == 0)
    }

    @Test("a date holds for ten minutes on either side, by the server's clock")
    func window() async throws {
        for (seconds, holds) in [(0, true), (600, true), (-600, true), (601, false), (-601, false)] {
            let authenticator = try authenticator()
            clock.advance(by: Int64(seconds) * 1000)
            defer { clock.advance(by: Int64(-seconds) * 1000) }
            if holds {
                _ = try await verify(Self.vectors[2], .zonesList, with: authenticator)
            } else {
                let error = await #expect(throws: WireError.self) {
                    try await verify(Self.vectors[2], .zonesList, with: authenticator)
                }
                #expect(error?.code == .authenticationFailed)
                #expect(error?.reason.contains("ten minutes") == true)
            }
        }
    }
}
