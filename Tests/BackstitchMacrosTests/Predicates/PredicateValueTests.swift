import Backstitch
import BackstitchMacros
import BackstitchSQLite
import Foundation
import Testing

@Suite("#Predicate with usual and extreme values")
struct PredicateValueTests {
    /// A value of a property, and two predicates for it: by the macro, and by a typed key.
    private struct Comparison: Sendable {
        let byMacro: Predicate<Entry>
        let byKey: FetchPredicate
        let set: @Sendable (Entry) -> Void

        init(_ byKey: FetchPredicate, _ byMacro: Predicate<Entry>, set: @escaping @Sendable (Entry) -> Void) {
            (self.byMacro, self.byKey, self.set) = (byMacro, byKey, set)
        }
    }

    private static let doubles: [Double] = [
        0, -0.0, 1.5, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0x1p63, 1e40,
    ]
    private static let decimals: [Decimal] = [0, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 12]
    private static let seconds: [Double] = [0, .nan, .infinity, 1e11, -1e11, 1e15, 1e18, 0.000_4]
    private static let texts = ["", "a\0b", "e\u{301}", "\u{E9}", String(repeating: "\u{301}\u{323}", count: 500)]
    private static let addresses = ["about:blank", "https://example.org/%00?q=x#y", "//"]

    private static var numbers: [Comparison] {
        let integers = ([0, 1, -1, .min, .max] as [Int]).flatMap { value in
            [
                Comparison(Key<Int>("size") == value, #Predicate { $0.size == value }) { $0.size = value },
                Comparison(Key<Int>("size") < value, #Predicate { $0.size < value }) { $0.size = value },
            ]
        }
        let reals = doubles.flatMap { value in
            [
                Comparison(Key<Double>("rating") == value, #Predicate { $0.rating == value }) { $0.rating = value },
                Comparison(Key<Double>("rating") >= value, #Predicate { $0.rating >= value }) { $0.rating = value },
            ]
        }
        let floats = doubles.map(Float.init).map { value in
            Comparison(Key<Float>("scale") == value, #Predicate { $0.scale == value }) { $0.scale = value }
        }
        let prices = decimals.map { value in
            Comparison(Key<Decimal>("price") == value, #Predicate { $0.price == value }) { $0.price = value }
        }
        return integers + reals + floats + prices
    }

    private static var others: [Comparison] {
        let dates = seconds.map { Date(timeIntervalSince1970: $0) }.map { value in
            Comparison(Key<Date>("created") == value, #Predicate { $0.created == value }) { $0.created = value }
        }
        let titles = texts.flatMap { value in
            [
                Comparison(Key<String>("title") == value, #Predicate { $0.title == value }) { $0.title = value },
                Comparison(Key<String>("subtitle") != value, #Predicate { $0.subtitle != value }) {
                    $0.subtitle = value
                },
            ]
        }
        let links = addresses.compactMap { URL(string: $0) }.map { value in
            Comparison(Key<URL>("link") == value, #Predicate { $0.link == value }) { $0.link = value }
        }
        let serials = [UUID(), ObjectKey(high: 0, low: 0).uuid].map { value in
            Comparison(Key<UUID>("serial") == value, #Predicate { $0.serial == value }) { $0.serial = value }
        }
        return dates + titles + links + serials
    }

    @Test("finds what a typed key finds, in the store and in memory, or is refused as that is")
    func values() async throws {
        let container = try PersistentContainer(model: JournalData.model, store: .init(type: .sqlite))
        try await container.perform { context in
            let comparisons = Self.numbers + Self.others
            for comparison in comparisons {
                let entry = Entry(context: context)
                comparison.set(entry)
                // Not every attribute takes every value.
                do { try context.save() } catch is BackstitchError { context.rollback() }
            }
            let all = try context.fetch(FetchRequest<Entry>())
            #expect(all.count > comparisons.count / 2)
            let entity = try context.model.requireEntity(named: Entry.entityName)
            for comparison in comparisons {
                func answer(_ predicate: () throws -> FetchPredicate) throws -> String {
                    do {
                        let predicate = try predicate()
                        let found = try context.fetch(FetchRequest<Entry>(predicate: predicate))
                        let resolved = try predicate.resolved(for: entity, in: context.model)
                        let inMemory = try all.filter { try resolved.evaluate($0) }
                        #expect(Set(found) == Set(inMemory), "\(predicate)")
                        return "\(found.count)"
                    } catch let error as BackstitchError { return "\(error.code)" }
                }
                let byKey = try answer { comparison.byKey }
                let byMacro = try answer { try FetchPredicate(comparison.byMacro) }
                #expect(byMacro == byKey, "\(comparison.byKey)")
            }
        }
        try container.close()
    }
}
