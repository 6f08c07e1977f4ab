import Backstitch
import Foundation
import TestSupport
import Testing

@Suite("text in memory and in SQLite")
struct PredicateTextTests {
    @Test(
        "every text compares with every other alike in memory and in SQLite, by each operator and folding",
        arguments: [
            FetchComparison.Operator.equal, .less, .greaterOrEqual, .contains, .beginsWith, .endsWith, .in, .like,
        ])
    func allPairs(comparisonOperator: FetchComparison.Operator) throws {
        let library = try Library()
        for (number, text) in RandomValues.texts.enumerated() {
            let note = try library.insert("Note", key: ObjectKey(high: 0, low: UInt64(number)))
            try note.set("title", .string(text))
            // The body is what another text is compared with that is no constant.
            try note.set("body", .string(RandomValues.texts[RandomValues.texts.count - 1 - number]))
        }
        library.connect()
        let database = try PredicateDatabase(library)
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
                #expect(try database.keys(of: entity, where: predicate) == expected, "\(predicate)")
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
