import Backstitch
import BackstitchSQL
import BackstitchTestKit
import Foundation
import Testing

@Suite("Encoding of outbox fields")
struct OutboxFieldCodingTests {
    private static let key = ObjectKey(high: 0x0123_4567_89AB_CDEF, low: .max)

    private static let values: [Value] = [
        .null, .bool(true), .bool(false), .int(.min), .int(-1), .int(0), .int(.max), .double(-0.0), .double(.infinity),
        .double(.nan), .double(.leastNonzeroMagnitude),
        .decimal(Decimal(string: "-12345678901234567890123456789012345678")!),
        .decimal(Decimal(string: "0.00000000000000000000000000000000000001")!), .string(""), .string("a\u{0}b"),
        .string("e\u{301}"), .string("\u{E9}"), .string(String(repeating: "𝄞", count: 100)),
        .date(Date(milliseconds: -62_135_596_800_000)), .data(Data()), .data(Data(0...255)),
        .uuid(key.uuid), .uri(URL(string: "https://example.org/%C3%A9?q=1#f")!),
        .asset(AssetReference(checksum: "Aé", size: .max)), .object(ObjectID(entityName: "Note", key: key)),
    ]

    private static func fields() -> [OutboxEntry.Field] {
        values.enumerated().map {
            .init(name: "f\($0.offset)", sequence: Int64($0.offset) - 3, base: .value($0.element))
        }
            + [
                .init(name: "none", sequence: .max, base: .links([])),
                .init(name: "some", sequence: .min, base: .links([key, ObjectKey(high: 0, low: 0)])),
                .init(name: "gone", sequence: 7, base: OutboxEntry.Base.value("text").digested),
            ]
    }

    @Test("every kind of value and link comes back bit for bit")
    func roundTrip() throws {
        let fields = Self.fields()
        #expect(try OutboxFieldCoding.decode(OutboxFieldCoding.encode(fields)) == fields)
        #expect(try OutboxFieldCoding.decode(OutboxFieldCoding.encode([])) == [])
        guard case .value(.double(let zero)) = try OutboxFieldCoding.decode(OutboxFieldCoding.encode(fields))[7].base
        else {
            Issue.record("no double at its place")
            return
        }
        #expect(zero.sign == .minus)
    }

    @Test("the bytes are those of the first version")
    func stable() {
        let bytes = OutboxFieldCoding.encode([
            .init(name: "size", sequence: 300, base: .value(.int(-2))),
            .init(name: "tags", sequence: 1, base: .links([Self.key])),
        ])
        let expected: [UInt8] =
            [1, 2, 4, 115, 105, 122, 101, 0xD8, 0x04, 0, 3, 3, 4, 116, 97, 103, 115, 2, 1, 1]
            + [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF] + Array(repeating: 0xFF, count: 8)
        #expect(bytes == expected)
    }

    @Test("digests have a form of their own, which older versions refuse by name")
    func digests() throws {
        let fields = [OutboxEntry.Field(name: "size", sequence: 1, base: .digest(0x0102_0304_0506_0708))]
        let bytes = OutboxFieldCoding.encode(fields)
        #expect(bytes == [2, 1, 4, 115, 105, 122, 101, 2, 2, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try OutboxFieldCoding.decode(bytes) == fields)
    }

    @Test("a newer form is refused by name, not misread")
    func newerForm() {
        let error = #expect(throws: BackstitchError.self) { try OutboxFieldCoding.decode([3, 0]) }
        #expect(error?.code == .newerFormat)
    }

    @Test("bytes cut off anywhere give an error")
    func truncated() {
        let bytes = OutboxFieldCoding.encode(Self.fields())
        for length in 1..<bytes.count {
            #expect(throws: BackstitchError.self) { try OutboxFieldCoding.decode(Array(bytes[..<length])) }
        }
        #expect(throws: BackstitchError.self) { try OutboxFieldCoding.decode(bytes + [0]) }
    }

    @Test("random damage gives an error or other fields, never a crash or a huge allocation")
    func damaged() {
        let seed = SeededGenerator.seed()
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let bytes = OutboxFieldCoding.encode(Self.fields())
        var refused = 0
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0...Int(random.next() % 3) {
                damaged[Int(random.next() % UInt64(damaged.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            do { _ = try OutboxFieldCoding.decode(damaged) } catch { refused += 1 }
        }
        #expect(refused > 1_000, "seed \(seed)")
    }
}
