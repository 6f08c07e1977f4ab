import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import CloudWire

@Suite struct LongTextTests {
    private static let long = String(repeating: "\u{301}\u{323}", count: 200_000)

    @Test("a name has 1,024 bytes at most, and one that is longer is quoted in part")
    func names() throws {
        for (text, isTaken) in [
            (String(repeating: "x", count: 1_024), true), (String(repeating: "x", count: 1_025), false),
            (String(repeating: "é", count: 512), true), (String(repeating: "é", count: 513), false),
        ] {
            let json = Array("{\"zoneName\":\"\(text)\"}".utf8)
            do throws(WireCodingError) {
                #expect(try ZoneID(wireJSON: json).zoneName == text)
                #expect(isTaken)
            } catch {
                #expect(!isTaken && error.kind == .value && error.message.utf8.count < 200, "\(error)")
            }
        }
    }

    @Test("texts that nothing compares may be long, and tokens are ASCII")
    func texts() throws {
        let error = try WireError(
            wireJSON: Array("{\"serverErrorCode\":\"CONFLICT\",\"reason\":\"\(Self.long)\"}".utf8))
        #expect(error.reason.utf8.count == Self.long.utf8.count)
        let token = String(repeating: "a", count: 5_000)
        #expect(
            try DatabaseChangesRequest(wireJSON: Array("{\"syncToken\":\"\(token)\"}".utf8)).syncToken == token)
        #expect(throws: WireCodingError.self) {
            try DatabaseChangesRequest(wireJSON: Array("{\"syncToken\":\"é\"}".utf8))
        }
    }

    @Test("names and values are equal, and hash alike, by their bytes")
    func equality() {
        let (one, other) = ("\u{E9}", "e\u{301}")
        #expect(one == other)
        #expect(ZoneID(zoneName: one) != ZoneID(zoneName: other))
        #expect(ZoneID(zoneName: "z", ownerRecordName: one) != ZoneID(zoneName: "z", ownerRecordName: other))
        #expect(WireReference(recordName: one) != WireReference(recordName: other))
        #expect(WireValue.string(one) != .string(other) && WireValue.stringList([one]) != .stringList([other]))
        #expect(WireValue.string(one) == .string("\u{E9}") && WireValue.string(one) != .stringList([one]))
        let values: [WireValue] = [
            .string(one), .string(other), .stringList([one]), .stringList([other]), .stringList([one, one]),
            .int64(1), .timestamp(1), .double(1), .bytes(Data([1])), .int64List([1]), .timestampList([1]),
            .doubleList([1]), .bytesList([Data([1])]), .reference(.init(recordName: one)),
            .referenceList([.init(recordName: one)]), .asset(.init(fileChecksum: "c", size: 1)),
            .assetList([.init(fileChecksum: "c", size: 1)]), .location(.init(latitude: 1, longitude: 2)),
            .locationList([.init(latitude: 1, longitude: 2)]), .unknownList,
        ]
        #expect(Set(values).count == values.count)
        for value in values { #expect(value == value) }
    }

    /// The messages that servers send.
    private static var answers: [any WireDecodable.Type] {
        [
            DatabaseChangesResponse.self, QueryChangesResponse.self, RecordChangesResponse.self,
            ZoneChangesResponse.self,
            RecordsResponse.self, RecordsQueryResponse.self, ZonesResponse.self, AssetUploadResponse.self,
            AssetRereferenceResponse.self, AssetUploadReceipt.self, ShareResultsResponse.self,
            SubscriptionsResponse.self,
            PushNotification.self, PushToken.self, UsersResponse.self, CallerResponse.self, CurrentUser.self,
            SignInAnswer.self, UserIdentity.self, WireError.self,
        ]
    }

    @Test(
        "a long text in any string of any answer is read in the time of as many letters", arguments: LongText.allCases)
    func answers(_ text: LongText) throws {
        let size = 1 << 15
        let (letters, long) = (String(repeating: "ж", count: size / 2), text.of(size))
        var count = 0
        for type in Self.answers {
            let strings = try WireStrings(types: WireValueType.allCases.map(\.rawValue)) { type.outcome(of: $0) }
            var usual: Duration?
            for path in strings.paths() {
                count += 1
                let bytes = try WireStrings.message(Array("{}".utf8), path, long)
                if usual == nil {
                    let plain = try WireStrings.message(Array("{}".utf8), path, letters)
                    usual = threadTime { type.readAndCompare(plain) }
                }
                let spent = threadTime { type.readAndCompare(bytes) }
                #expect(spent <= .milliseconds(20) + (usual ?? .zero) * 2, "\(type) \(path): \(spent)")
            }
        }
        #expect(count > 200)
    }
}

extension WireDecodable {
    fileprivate static func outcome(of bytes: [UInt8]) -> String {
        do throws(WireCodingError) { return "\(try Self(wireJSON: bytes))" } catch { return error.description }
    }

    /// Reads a message twice, compares both and hashes one, as far as it can be read.
    fileprivate static func readAndCompare(_ bytes: [UInt8]) {
        guard let one = try? Self(wireJSON: bytes), let other = try? Self(wireJSON: bytes) else { return }
        func compare<Message: Hashable>(_ one: Message) {
            #expect((other as? Message) == one)
            _ = one.hashValue
        }
        if let one = one as? any Hashable { compare(one) }
    }
}
