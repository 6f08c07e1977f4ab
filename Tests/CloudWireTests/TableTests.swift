import Foundation
import Testing

@testable import CloudWire

/// The promises of a table of keys (`WireObject`), for any order of the keys.
@Suite struct TableTests {
    private func read<Message: WireDecodable>(_ json: String, as _: Message.Type) throws(WireCodingError) -> Message {
        try Message(wireJSON: Array(json.utf8))
    }

    private func fault<Message: WireDecodable>(_ json: String, as type: Message.Type) -> String? {
        do throws(WireCodingError) {
            _ = try read(json, as: type)
            return nil
        } catch { return error.description }
    }

    /// The members of a record, as a server sends them.
    private let members = [
        "\"recordName\":\"A\"", "\"recordType\":\"T\"", "\"fields\":{\"n\":{\"type\":\"INT64\",\"value\":1}}",
        "\"recordChangeTag\":\"1\"", "\"pluginFields\":{}", "\"created\":{\"timestamp\":1}",
        "\"modified\":{\"deviceID\":\"2\",\"timestamp\":2}", "\"deleted\":false", "\"zoneID\":{\"zoneName\":\"Z\"}",
        "\"parent\":{\"recordName\":\"P\"}",
    ]

    @Test("keys in any order, with others between them, read the same")
    func anyOrder() throws {
        let expected = try read("{\(members.joined(separator: ","))}", as: WireRecord.self)
        #expect(expected.recordName == "A" && expected.parent?.recordName == "P" && expected.modified?.timestamp == 2)
        for turn in members.indices {
            let turned = members[turn...] + members[..<turn]
            for order in [Array(turned), turned.reversed()] {
                let strange = order.enumerated().map { "\"x\($0)\":[{\"recordName\":\($0)}],\($1)" }
                #expect(try read("{\(order.joined(separator: ","))}", as: WireRecord.self) == expected)
                #expect(try read("{\(strange.joined(separator: ","))}", as: WireRecord.self) == expected)
                #expect(try read("{\(strange.joined(separator: ","))}", as: RecordResult.self) == .record(expected))
            }
        }
    }

    @Test("a key that is missing or null is named at the end of its object")
    func missing() {
        #expect(fault("{}", as: ZoneID.self) == "a zone needs a zoneName (at byte 2)")
        #expect(fault("{\"zoneName\":null} ", as: ZoneID.self) == "a zone needs a zoneName (at byte 17)")
        #expect(
            fault("{\"record\":{\"recordName\":\"A\"}}", as: RecordOperation.self)
                == "an operation needs an operationType (at byte 29)")
        #expect(
            fault("{\"operationType\":\"create\",\"x\":1}", as: RecordOperation.self)
                == "an operation needs a record (at byte 32)")
        // The demands of an object within are its own.
        let inner = "{\"record\":{\"recordName\":\"A\",\"zoneID\":{\"x\":1}},\"operationType\":\"create\"}"
        #expect(fault(inner, as: RecordOperation.self) == "a zone needs a zoneName (at byte 44)")
    }

    @Test("the first fault is the one that is told, and nothing is read after it")
    func firstFault() {
        #expect(
            fault("{\"zoneID\":{\"zoneName\":1},\"reason\":2}", as: ZoneResult.self)
                == "zoneName: expected a string, found a number (at byte 22)")
        #expect(
            fault("{\"zoneID\":{\"x\":\"", as: ZoneResult.self)
                == "a string without its closing quote, but the message ends (at byte 16)")
    }

    @Test("aliases: the last of two names counts, and null of the other takes nothing away")
    func aliases() throws {
        let strings = "{\"records\":[],\"numbersAsStrings\":true,\"numberAsStrings\":false}"
        #expect(try read(strings, as: RecordsLookupRequest.self).numbersAsStrings == false)
        let token = "{\"zones\":[],\"metaSyncToken\":\"m\",\"syncToken\":null}"
        #expect(try read(token, as: DatabaseChangesResponse.self).syncToken == "m")
    }
}
