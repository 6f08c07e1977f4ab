import Backstitch
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@Suite("text in memory and in the databases")
struct PredicateTextTests {
    @Test(
        "every text compares with every other alike in memory and in the database, by each operator and folding",
        arguments: [
            FetchComparison.Operator.equal, .less, .greaterOrEqual, .contains, .beginsWith, .endsWith, .in, .like,
        ], TestedDatabase.all)
    func allPairs(comparisonOperator: FetchComparison.Operator, _ database: TestedDatabase) async throws {
        try await onThread { try compare(comparisonOperator, database) }
    }

    private func compare(_ comparisonOperator: FetchComparison.Operator, _ database: TestedDatabase) throws {
        let library = try Library()
        for (number, text) in RandomValues.texts.enumerated() {
            let note = try library.insert("Note", key: ObjectKey(high: 0, low: UInt64(number)))
            try note.set("title", .string(text))
            // The body is compared with a text that is not constant.
            try note.set("body", .string(RandomValues.texts[RandomValues.texts.count - 1 - number]))
        }
        library.connect()
        let store = try database.open(.library)
        defer { try? store.close() }
        try store.fill(with: library)
        let entity = try library.model.requireEntity(named: "Note")
        let notes = try #require(library.objects["Note"])
        var found = 0
        for options in (0...3).map(FetchTextOptions.init(rawValue:)) {
            var sides = RandomValues.texts.map { side(comparisonOperator, $0) }
            if comparisonOperator != .in, comparisonOperator != .like { sides.append(.keyPath("body")) }
            for right in sides {
                let predicate = FetchPredicate.comparison(
                    FetchComparison(.keyPath("title"), comparisonOperator, right, options: options))
                let resolved = try predicate.resolved(for: entity, in: library.model)
                let expected = try notes.filter { try resolved.evaluate($0) }.map(\.objectID.key)
                let request = StoreFetchRequest(entity: entity, predicate: resolved)
                #expect(try store.fetchKeys(request) == expected, "\(predicate)")
                found += expected.count
            }
        }
        #expect(found > 200)
    }

    private func side(_ comparisonOperator: FetchComparison.Operator, _ text: String) -> FetchExpression {
        switch comparisonOperator {
        case .in: .list([.value(.string(text))])
        case .like: .value(.string("*" + text.replacing("\\", with: "\\\\") + "*"))
        default: .value(.string(text))
        }
    }
}
