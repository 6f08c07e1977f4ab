import Backstitch
import BackstitchSync
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// A followed predicate means the same on the server as here. Both are asked, for many predicates and objects.
@Suite("followed predicates", .scenario, .timeLimit(.minutes(5))) struct FollowedPredicateTests: ScenarioSuite {
    @Test("a request brings exactly the objects that its predicate finds where they were made", arguments: [1, 2, 3])
    func differential(_ seed: UInt64) async throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let (maker, reader) = try s.pair([.syncDatabase: "public"])
        let folders = [try await maker.add(["name": "F"], "Folder"), try await maker.add(["name": "G"], "Folder")]
        for _ in 0..<60 {
            let values = Self.attributes.compactMapValues { choices in
                Int.random(in: 0..<4, using: &random) == 0 ? nil : choices.randomElement(using: &random)
            }
            let folder = Bool.random(using: &random) ? folders.randomElement(using: &random) : nil
            try await maker.edit { context in
                let note = try context.make("Note", values)
                if let folder { try note.setObject(try context.existingObject(with: folder), forKey: "folder") }
            }
        }
        try await maker.sync.sync()
        for _ in 0..<40 {
            let predicate = Self.predicate(&random, folders)
            let request = FetchRequest<TestNote>(predicate: predicate)
            try await reader.sync.following.start(request)
            try await reader.sync.sync()
            let expected = try await maker.read { try $0.fetch(request).map(\.objectID).sorted() }
            let found = try await reader.read { try $0.fetch(FetchRequest<TestNote>()).map(\.objectID).sorted() }
            #expect(found == expected, "seed \(seed): \(predicate)")
            try await reader.sync.following.stop(request)
            #expect(try await reader.read { try $0.count(for: FetchRequest<TestNote>()) } == 0, "\(predicate)")
        }
    }

    private static let day = 86_400.0
    private static let attributes: [String: [Value]] = [
        "title": ["", "a", "ab", "b", "Ä", "A\u{308}", "z"].map(Value.string),
        "rank": [.int(-5), .int(0), .int(7), .int(1 << 60)], "small": [.int(-1), .int(0), .int(3)],
        "done": [.bool(true), .bool(false)],
        "ratio": [.double(-0.0), .double(0), .double(0.1), .double(1e300), .double(-2)],
        "share": [.double(0.5), .double(Double(Float(0.1)))],
        "created": [0, 1.5, -day, 20_000 * day].map { .date(Date(timeIntervalSince1970: $0)) },
        "token": (1...3).map { .uuid(UUID(uuidString: "0000000\($0)-0000-4000-8000-00000000000A")!) },
        "link": ["https://a.example/", "https://b.example/"].map { .uri(URL(string: $0)!) },
    ]

    private static func predicate(_ random: inout SeededGenerator, _ folders: [ObjectID]) -> FetchPredicate {
        .and((0..<Int.random(in: 1...3, using: &random)).map { _ in comparison(&random, folders) })
    }

    private static func comparison(_ random: inout SeededGenerator, _ folders: [ObjectID]) -> FetchPredicate {
        let names = attributes.keys.sorted() + ["folder"]
        let name = names.randomElement(using: &random) ?? "title"
        let choices = attributes[name] ?? folders.map(Value.object)
        let value = choices.randomElement(using: &random) ?? .null
        var operators: [FetchComparison.Operator] = [.equal, .notEqual, .in]
        if !["done", "folder"].contains(name) { operators += [.less, .lessOrEqual, .greater, .greaterOrEqual] }
        if name == "title" { operators.append(.beginsWith) }
        let chosen = operators.randomElement(using: &random) ?? .equal
        let right: FetchExpression =
            chosen == .in ? .values([value, choices.randomElement(using: &random) ?? value]) : .value(value)
        let comparison = FetchPredicate.comparison(.init(.keyPath(FetchKeyPath(name)), chosen, right))
        let mayNegate = [.equal, .notEqual, .in, .beginsWith].contains(chosen)
        return mayNegate && Int.random(in: 0..<3, using: &random) == 0 ? .not(comparison) : comparison
    }
}
