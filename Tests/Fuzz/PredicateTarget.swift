#if FUZZING

import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchTestKit
import Foundation

/// Texts of predicates. Each is the same again from its coded form, and memory and SQLite agree on the matching
/// objects.
///
/// The first byte is the number of arguments.
final class PredicateTarget: FuzzTarget {
    private let model: ResolvedModel
    private let store: SQLiteStore
    private let subjects: [Subject]

    init() throws {
        model = try ResolvedModel(.journal)
        let clock = VirtualClock(milliseconds: 1_700_000_000_000)
        let configuration = StoreConfiguration(
            model: model, url: nil,
            options: try StoreOptions([:], specifications: SQLiteStore.optionSpecifications(for: [:])), clock: clock,
            generator: ObjectIDGenerator(clock: clock, random: SeededGenerator(seed: 1)))
        store = try SQLiteStore(configuration)
        let entity = try model.requireEntity(named: "AllTypes")
        subjects = (0..<5).map { Subject(entity, configuration.generator.next(), number: $0) }
        var builder = RowBatchBuilder(entity: entity)
        for subject in subjects {
            builder.beginRow(key: subject.objectID.key, version: 1)
            for value in subject.values { builder.append(value) }
        }
        var request = SaveChangesRequest(author: nil)
        request.inserts.append(builder.finish())
        _ = try store.save(request)
    }

    func run(_ input: [UInt8]) {
        var input = FuzzInput(input)
        var arguments: [(any PredicateArgument)?] = []
        for index in 0..<input.byte() % 4 {
            switch index {
            case 0: arguments.append(Int(input.byte()))
            case 1: arguments.append(String(decoding: input.piece(), as: UTF8.self))
            default: arguments.append(nil)
            }
        }
        let text = String(decoding: input.remainder(), as: UTF8.self)
        guard let predicate = try? FetchPredicate(format: text, arguments: arguments) else { return }
        _ = "\(predicate)"
        if let coded = try? JSONEncoder().encode(predicate) {
            let again = try? JSONDecoder().decode(FetchPredicate.self, from: coded)
            promise(again == predicate, "\(text.debugDescription) is another one from its coded form")
        }
        compare(predicate, text)
    }

    private func compare(_ predicate: FetchPredicate, _ text: String) {
        let entity = subjects[0].entity
        guard let resolved = try? predicate.resolved(for: entity, in: model),
            let stored = try? store.fetchKeys(StoreFetchRequest(entity: entity, predicate: resolved))
        else { return }
        guard let inMemory = try? subjects.filter({ try resolved.evaluate($0) }).map(\.objectID.key) else { return }
        promise(Set(stored) == Set(inMemory), "memory and SQLite disagree on \(text.debugDescription)")
    }

    /// An object in memory.
    private final class Subject: PredicateSubject {
        let entity: ResolvedEntity
        let objectID: ObjectID
        let values: [Value]

        init(_ entity: ResolvedEntity, _ key: ObjectKey, number: Int) {
            self.entity = entity
            objectID = ObjectID(entityName: entity.name, key: key)
            values = entity.columns.map { number == 0 ? .null : Self.value(of: $0, number) }
        }

        private static func value(of column: ResolvedProperty, _ number: Int) -> Value {
            switch column.attribute?.type {
            case .integer16, .integer32, .integer64: .int(Int64(number) - 2)
            case .decimal: .decimal(Decimal(number) / 4)
            case .double, .float: .double(Double(number) / 2)
            case .string: .string(["", "a", "Ä b", "naïve 1"][number - 1])
            case .boolean: .bool(number % 2 == 0)
            case .date: .date(Date(timeIntervalSince1970: Double(number)))
            default: .null
            }
        }

        func predicateValue(_ property: ResolvedProperty) throws -> Value {
            property.slot < values.count ? values[property.slot] : .null
        }

        func predicateDestinations(_ property: ResolvedProperty) throws -> [any PredicateSubject] { [] }
    }
}

#endif
