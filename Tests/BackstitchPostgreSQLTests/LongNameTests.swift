import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import Foundation
import Testing

@testable import BackstitchPostgreSQL

@Suite("names that PostgreSQL would cut")
struct LongNameTests {
    /// 64 letters that differ in the last one only, as names may: PostgreSQL takes 63.
    private static func name(_ ending: String) -> String {
        String("Entity_or_property_with_a_name_that_says_more_than_it_needs_to_say_".prefix(64 - ending.count)) + ending
    }

    private static func model(_ extra: [PropertyDescription] = []) -> ManagedObjectModel {
        let (one, other) = (name("A"), name("B"))
        return ManagedObjectModel([
            EntityDescription(
                one,
                [
                    .attribute(name("X"), .string), .attribute(name("Y"), .integer64),
                    .toMany(name("P"), other, inverse: name("P")), .toMany(name("Q"), other, inverse: name("Q")),
                    .toOne(name("R"), other, inverse: name("R")), .toOne(name("S"), other, inverse: name("S")),
                ] + extra
            ).indexed(.init(name("X"))).indexed(.init(name("Y"))).indexed(.init(name("X")), .init(name("Y"))),
            EntityDescription(
                other, unique: [[name("X")], [name("X"), name("Y")]],
                [
                    .attribute(name("X"), .string), .attribute(name("Y"), .integer64),
                    .toMany(name("P"), one, inverse: name("P")), .toMany(name("Q"), one, inverse: name("Q")),
                    .toMany(name("R"), one, inverse: name("R")), .toMany(name("S"), one, inverse: name("S")),
                    .derived(name("Z"), .integer64, from: "\(name("P")).@count"),
                    .derived(name("W"), .integer64, from: "\(name("Q")).@count"),
                ]),
        ])
    }

    @Test("stay apart in tables, columns, links, indexes and triggers, in every version of the model")
    func apart() async throws {
        let schema = TestDatabase.newSchema()
        let (one, other) = (Self.name("A"), Self.name("B"))
        for round in 0..<2 {
            let extra: [PropertyDescription] = round == 0 ? [] : [.attribute(Self.name("V"), .boolean)]
            let container = try TestDatabase.container(Self.model(extra), schema: schema)
            try await container.perform { context in
                let first = try context.insertObject(entityName: one),
                    second = try context.insertObject(entityName: other)
                try first.setValue(Value.string("x\(round)"), forKey: Self.name("X"))
                try first.setValue(Value.int(Int64(round)), forKey: Self.name("Y"))
                try second.setValue(Value.string("other \(round)"), forKey: Self.name("X"))
                first[Self.name("P")] = Set([second])
                first[Self.name("R")] = second
                if round == 1 { try first.setValue(true, forKey: Self.name("V")) }
                try context.save()
            }
            let counts = try await container.perform { context in
                try ["P", "Q", "R", "S"].map { ending in
                    try context.count(
                        for: FetchRequest<ManagedObject>(
                            entityName: other, where: "ANY %K.%K BEGINSWITH 'x'", Self.name(ending), Self.name("X")))
                }
            }
            #expect(counts == [round + 1, 0, round + 1, 0])
            let derived = try await container.perform { context in
                try context.fetch(FetchRequest<ManagedObject>(entityName: other)).map { object in
                    [try object.value(forKey: Self.name("Z")), try object.value(forKey: Self.name("W"))]
                }
            }
            #expect(derived == Array(repeating: [.int(1), .int(0)], count: round + 1))
            try container.close()
        }
    }

    @Test("end with a hash that is the same in every version; short names are as the model has them")
    func stable() {
        let short = String(repeating: "a", count: 63)
        #expect(SQLNames.shortened(short) == short)
        #expect(SQLNames.quoted("Note.tags") == "\"Note.tags\"")
        let long = SQLNames.shortened(short + "b")
        #expect(long == String(repeating: "a", count: 46) + ".db007549f35eb6cc")
        #expect(long.utf8.count <= 63)
        #expect(SQLNames.shortened(String(repeating: "ü", count: 40)).utf8.count <= 63)
    }

    @Test("a schema with as long a name as there can be is notified of saves")
    func channel() async throws {
        let schema = String((TestDatabase.newSchema() + String(repeating: "_", count: 63)).prefix(63))
        let heard = Locked(StoreChanges())
        let listener = try TestDatabase.store(schema: schema, options: [.postgresPollInterval: 60]) { changes in
            heard.withLock { $0.merge(changes) }
        }
        let writer = try TestDatabase.store(schema: schema, options: [.postgresPollInterval: 60])
        try await onThread {
            _ = try writer.save(writer.tags(["a"]))
            let end = ContinuousClock.now + .seconds(20)
            while heard.withLock({ $0.inserted.isEmpty }), ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.02)
            }
            #expect(heard.withLock { $0.inserted.count } == 1)
            try listener.close()
            try writer.close()
        }
    }
}
