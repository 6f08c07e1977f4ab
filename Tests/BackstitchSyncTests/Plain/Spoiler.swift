import BackstitchSimulator
import BackstitchTestKit
import CloudWire
import TestSupport

@testable import BackstitchSync

/// Changes answers at random: bytes, the tree of JSON, the status, headers.
enum Spoiler {
    static func spoil(_ response: inout TransportResponse, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: spoilBytes(&response.body, &random)
        case 1: response.status = statuses.randomElement(using: &random) ?? 500
        case 2: spoilHeaders(&response.headers, &random)
        case 3: response.body = errorBody(&random)
        default:
            guard var tree = try? PlainJSON(response.body) else { return spoilBytes(&response.body, &random) }
            for _ in 0..<Int.random(in: 1...3, using: &random) { tree = spoilt(tree, &random) }
            response.body = tree.bytes
        }
    }

    private static let statuses = [200, 204, 302, 400, 401, 404, 409, 413, 421, 429, 500, 503]

    private static func spoilBytes(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return bytes = Array("<html>".utf8) }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes = Array(bytes[..<place])
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes += bytes
        default: bytes = []
        }
    }

    private static func spoilHeaders(
        _ headers: inout [(name: String, value: String)], _ random: inout SeededGenerator
    ) {
        let name = [
            WireHeader.limits, WireHeader.rotatedToken, "Retry-After", "Content-Type", "Location",
        ].randomElement(using: &random)
        let value = [
            "", "-1", "nan", "1e400", "9223372036854775807", "operations=0", "operations=9223372036854775807; page=1",
            "operations=1; bytes=1; page=9223372036854775807; record=1; asset=1", "x=y", "\u{0}",
        ].randomElement(using: &random)
        headers.append((name: name ?? "", value: value ?? ""))
    }

    private static func errorBody(_ random: inout SeededGenerator) -> [UInt8] {
        let code = (WireErrorCode.allCases.map(\.rawValue) + ["NO_SUCH_CODE", ""]).randomElement(using: &random) ?? ""
        let waits = ["", #","retryAfter":-1"#, #","retryAfter":1e300"#, #","retryAfter":0"#]
        let wait = waits.randomElement(using: &random)
        return Array(#"{"uuid":"1","serverErrorCode":"\#(code)","reason":"r"\#(wait ?? "")}"#.utf8)
    }

    /// The tree with one node changed.
    private static func spoilt(_ tree: PlainJSON, _ random: inout SeededGenerator) -> PlainJSON {
        let isHere = Int.random(in: 0..<4, using: &random) == 0
        switch tree {
        case .object(var keys):
            guard let key = keys.keys.sorted().randomElement(using: &random) else { return atom(&random) }
            if !isHere {
                keys[key] = keys[key].map { spoilt($0, &random) }
            } else if Bool.random(using: &random) {
                keys[key] = nil
            } else if let other = keys.keys.sorted().randomElement(using: &random) {
                (keys[key], keys[other]) = (keys[other], keys[key])
            }
            return .object(keys)
        case .array(var elements):
            guard !elements.isEmpty else { return .array([atom(&random)]) }
            let index = Int.random(in: 0..<elements.count, using: &random)
            if !isHere {
                elements[index] = spoilt(elements[index], &random)
            } else {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: elements.remove(at: index)
                case 1: elements.append(elements[index])
                case 2: elements.shuffle(using: &random)
                default: elements = []
                }
            }
            return .array(elements)
        default: return atom(&random)
        }
    }

    private static func atom(_ random: inout SeededGenerator) -> PlainJSON {
        let values: [PlainJSON] = [
            .null, .bool(true), .bool(false), .integer(0), .integer(-1), .integer(.max), .integer(.min), .number(1e308),
            .number(-0.5), .string(""), .string("x"), .string(String(repeating: "y", count: 5_000)), .string("\u{0}"),
            .array([]), .object([:]), .string("Note"), .string("Tag"), .string("INT64"), .string("REFERENCE_LIST"),
            .string("01900000-0000-7000-8000-000000000003"), .string("CONFLICT"), .string("ZONE_NOT_FOUND"),
            .object(["recordName": .string("01900000-0000-7000-8000-000000000004"), "action": .string("DELETE_SELF")]),
        ]
        return values.randomElement(using: &random) ?? .null
    }
}
