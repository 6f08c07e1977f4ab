import Backstitch
import BackstitchTestKit
import Foundation
import Testing

@Suite("row batches")
struct RowBatchTests {
    @Test("values go in and come out as they were, row by row, whatever is null")
    func roundTrip() throws {
        let entity = try #require(ResolvedModel(.journal).entity(named: "AllTypes"))
        let seed = SeededGenerator.seed()
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let generator = ObjectIDGenerator()
        var builder = RowBatchBuilder(entity: entity)
        var expected: [[Value]] = []
        for _ in 0..<200 {
            let values = try entity.columns.map { property in
                Bool.random(using: &random) ? .null : try #require(property.attribute).randomValue(&random)
            }
            builder.beginRow(key: generator.next(), version: Int64(expected.count))
            for value in values { builder.append(value) }
            expected.append(values)
        }
        let batch = builder.finish()
        for (row, values) in expected.enumerated() {
            #expect(batch.values(at: row) == values)
            #expect(batch.versions[row] == Int64(row))
        }
        var copy = RowBatchBuilder(entity: entity)
        for row in 0..<batch.count { copy.appendRow(row, of: batch) }
        let copied = copy.finish().advancingVersions()
        for row in 0..<batch.count {
            #expect(copied.values(at: row) == expected[row])
            #expect(copied.versions[row] == Int64(row) + 1)
        }
    }

    @Test("an entity of more than 64 columns keeps its nulls apart")
    func wideEntity() throws {
        let properties = (0..<150).map { PropertyDescription.attribute("a\($0)", .integer64) }
        let entity = try #require(
            ResolvedModel(ManagedObjectModel([EntityDescription("Wide", properties)])).entities.first)
        var builder = RowBatchBuilder(entity: entity)
        for row in 0..<3 {
            builder.beginRow(key: ObjectKey(high: 0, low: UInt64(row)), version: 1)
            for column in 0..<150 { builder.append(column % 3 == row ? .null : .int(Int64(column))) }
        }
        let batch = builder.finish()
        for row in 0..<3 {
            for column in 0..<150 {
                #expect(batch.value(row, column) == (column % 3 == row ? .null : .int(Int64(column))))
            }
        }
    }

    @Test("a property set has what was put in and not taken out, beyond 64 too")
    func propertySet() {
        var set = PropertySet([1, 63, 64, 200])
        #expect(set.slots == [1, 63, 64, 200])
        set.remove(200)
        set.remove(64)
        #expect(set == PropertySet([63, 1]))
        #expect(!set.contains(500))
        set.formUnion(PropertySet([70]))
        #expect(set.slots == [1, 63, 70])
    }
}

extension AttributeDescription {
    fileprivate func randomValue(_ random: inout SeededGenerator) -> Value {
        switch type {
        case .integer16: .int(Int64(Int16.random(in: .min ... .max, using: &random)))
        case .integer32: .int(Int64(Int32.random(in: .min ... .max, using: &random)))
        case .integer64: .int(.random(in: .min ... .max, using: &random))
        case .decimal: .decimal(Decimal(Int64.random(in: .min ... .max, using: &random)) / 1_000_000)
        case .double, .float: .double(Double(Float(bitPattern: UInt32.random(in: 0..<0x7F80_0000, using: &random))))
        case .string:
            .string(
                String(
                    (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                        "aé\u{301}🧵\u{0}".randomElement(using: &random) ?? "x"
                    }))
        case .boolean: .bool(.random(using: &random))
        case .date: .date(Date(milliseconds: .random(in: -1_000_000_000_000...4_000_000_000_000, using: &random)))
        case .uuid: .uuid(ObjectKey(high: random.next(), low: random.next()).uuid)
        case .uri: URL(string: "https://example.org/\(random.next())").map(Value.uri) ?? .null
        case .transformable: .data(Data((0..<8).map { _ in UInt8.random(in: 0...255, using: &random) }))
        case .binary:
            allowsExternalStorage
                ? .asset(AssetReference(checksum: "c\(random.next())", size: 5)) : .data(Data([1, 2, 3]))
        }
    }
}
