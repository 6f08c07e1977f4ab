import BackstitchSupport
import Foundation

extension PlainState {
    mutating func uploadAddresses(_ body: PlainJSON) throws -> PlainJSON {
        let tokens = body["tokens"].elements
        guard tokens.count <= 200 else { throw PlainError.badRequest("limit exceeded: tokens") }
        // A request for no addresses needs no right.
        if database == .shared, !tokens.isEmpty { try requireRight(to: find(body["zoneID"]).zone) }
        return [
            "tokens": .array(
                tokens.map { token in
                    [
                        "recordName": token["recordName"], "fieldName": token["fieldName"],
                        "url": .string("\(address)/upload/\(uniqueNumber())"),
                    ].json
                })
        ].json
    }

    /// Receives the bytes of an asset. The checksum has the form of this project's checksums and differs from the real
    /// one.
    mutating func receive(_ request: PlainServer.Request, _ address: PlainAddress) throws -> PlainServer.Answer {
        counts["upload", default: 0] += 1
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in request.body { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var bytes: [UInt8] = [1]
        for _ in 0..<20 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes.append(UInt8(truncatingIfNeeded: state >> 33))
        }
        let checksum = Data(bytes).base64EncodedString()
        let receipt = "receipt-\(address.path.last ?? "")"
        let asset: PlainJSON = [
            "fileChecksum": .string(checksum), "size": .integer(Int64(request.body.count)), "receipt": .string(receipt),
            "wrappingKey": .string("wrap"), "referenceChecksum": .string("reference"),
        ].json
        blobs[checksum.utf8.hexadecimal] = request.body
        receipts[receipt] = asset
        return PlainServer.Answer(headers: Self.json, body: ["singleFile": asset].json.bytes)
    }

    mutating func send(_ request: PlainServer.Request, _ address: PlainAddress) throws -> PlainServer.Answer {
        counts["blob", default: 0] += 1
        guard address.path.count == 3, let bytes = blobs[address.path[1]] else {
            throw PlainError(404, "NOT_FOUND", "no such file")
        }
        return PlainServer.Answer(body: bytes)
    }
}
