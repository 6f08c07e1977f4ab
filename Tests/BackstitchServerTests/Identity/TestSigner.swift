import Backstitch
import CloudWire
import Crypto
import Foundation
import NIOHTTP1

@testable import BackstitchServer

/// Signs requests as programs with a server-to-server key do, in each of their variants.
struct TestSigner: Sendable {
    var key = P256.Signing.PrivateKey()
    var clock: any WallClock
    /// How many seconds the program's clock is ahead.
    var ahead = 0
    /// How the date ends.
    var zone = "Z"
    /// An empty body stands as its hash; else as nothing.
    var hashesEmptyBody = true
    /// The query is part of what is signed.
    var signsQuery = false

    /// The key as the server knows it.
    func serverKey(_ userRecordName: String) throws -> ZoneServerConfiguration.ServerKey {
        try .init(publicKey: key.publicKey.pemRepresentation, userRecordName: userRecordName)
    }

    var date: String {
        let seconds = clock.milliseconds() / 1000 + Int64(ahead)
        return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601).dropLast() + zone
    }

    /// The headers that sign a request.
    ///
    /// - Parameter target: The path and the query.
    func headers(_ target: String, _ body: [UInt8]) throws -> HTTPHeaders {
        let hash = body.isEmpty && !hashesEmptyBody ? "" : Data(SHA256.hash(data: body)).base64EncodedString()
        let path = signsQuery ? target : String(target.prefix { $0 != "?" })
        let signature = try key.signature(for: Data("\(date):\(hash):\(path)".utf8))
        return [
            WireHeader.keyID: try serverKey("_").keyID, WireHeader.signatureDate: date,
            WireHeader.signature: signature.derRepresentation.base64EncodedString(),
        ]
    }
}

extension TestClient {
    /// The client with a server-to-server key, in the public database.
    func signing(_ signer: TestSigner) -> TestClient {
        var copy = on("public")
        copy.signer = signer
        return copy
    }
}
