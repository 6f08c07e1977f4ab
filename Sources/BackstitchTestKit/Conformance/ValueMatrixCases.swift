import Backstitch
import Foundation

extension StoreConformance {
    /// Every value, in an attribute of every type, by every way: as a property, in a batch request, as an object's
    /// identity, as a unique value, and in predicates.
    ///
    /// A store fails when one of its ways takes a value that another one refuses, or when its database compares a value
    /// otherwise than the evaluator in memory.
    static let valueMatrixCases: [ConformanceCase] = MatrixValues.types.flatMap { type -> [ConformanceCase] in
        [
            ConformanceCase("every value of a \(type) is taken by all ways or refused by all") { bench in
                try await bench.container(things(type)).perform { context in
                    for value in MatrixValues.all { try tryWays(value, type, context) }
                }
            },
            ConformanceCase(
                "every value of a \(type) that is unique is refused the second time", needs: .uniqueConstraints
            ) {
                bench in
                guard (try? ResolvedModel(singles(type))) != nil else { return }
                try await bench.container(singles(type)).perform { context in
                    for value in MatrixValues.all { try tryUnique(value, type, context) }
                }
            },
            ConformanceCase("every value that identifies an object by a \(type) finds it again") { bench in
                guard (try? ResolvedModel(named(type))) != nil else { return }
                try await bench.container(named(type)).perform { context in
                    for value in MatrixValues.all where !value.isNull { try tryIdentity(value, type, context) }
                }
            },
            ConformanceCase("every value is compared with a \(type) in memory as in the store") { bench in
                try await bench.container(things(type)).perform { context in try tryPredicates(type, context) }
            },
        ]
    }

    private static func things(_ type: AttributeType) -> ManagedObjectModel {
        ManagedObjectModel(
            [EntityDescription("Thing", [.attribute("a", type), .attribute("b", .boolean)])],
            transformers: [.json("raw", [Int].self)])
    }

    private static func singles(_ type: AttributeType) -> ManagedObjectModel {
        ManagedObjectModel(
            [EntityDescription("Thing", unique: [["a"]], [.attribute("a", type)])],
            transformers: [.json("raw", [Int].self)])
    }

    private static func named(_ type: AttributeType) -> ManagedObjectModel {
        ManagedObjectModel(
            [EntityDescription("Thing", [.attribute("a", type), .attribute("b", .boolean)]).identified(by: "a")],
            transformers: [.json("raw", [Int].self)])
    }

    /// The code of the error that `body` throws. The error can be printed. Nil when it throws none.
    private static func verdict(_ body: () throws -> Void) throws -> BackstitchError.Code? {
        do {
            try body()
            return nil
        } catch let error as BackstitchError {
            try expect("\(error)".contains(error.message) && !error.message.isEmpty)
            return error.code
        }
    }

    private static func tryWays(_ value: Value, _ type: AttributeType, _ context: ManagedObjectContext) throws {
        let expected = try verdict { try ways[0].body(context, value) }
        for way in ways.dropFirst() {
            try expectEqual(
                try verdict { try way.body(context, value) }, expected,
                "\(value.description) for \(type) by \(way.name)")
        }
    }

    private static func tryUnique(_ value: Value, _ type: AttributeType, _ context: ManagedObjectContext) throws {
        let text = "\(value.description) for \(type)"
        try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Thing")))
        context.rollback()
        let expected = try verdict { try ways[0].body(context, value) }
        guard expected == nil, !value.isNull else { return }
        for way in ways.dropLast() {
            try expectEqual(try verdict { try way.body(context, value) }, .constraint, "\(text) by \(way.name)")
        }
        context.mergePolicy = .mergeByPropertyObjectTrump
        defer { context.mergePolicy = .error }
        try context.execute(BatchInsertRequest(entityName: "Thing", objects: [["a": value]]))
        try expectEqual(try context.count(for: FetchRequest<ManagedObject>(entityName: "Thing")), 1, text)
    }

    private static func tryIdentity(_ value: Value, _ type: AttributeType, _ context: ManagedObjectContext) throws {
        let text = "\(value.description) for \(type)"
        defer { context.rollback() }
        let plain = try verdict {
            let object = try context.insertObject(entityName: "Thing", identifiedBy: ["a": value])
            try context.save()
            try expectEqual(
                try context.object(entityName: "Thing", identifiedBy: ["a": value])?.objectID, object.objectID, text)
            let stored = try object.value(forKey: "a")
            try expectEqual(
                try ManagedObjectContext(coordinator: context.coordinator)
                    .object(entityName: "Thing", identifiedBy: ["a": stored])?.objectID, object.objectID, text)
            context.delete(object)
            try context.save()
        }
        let batch = try verdict {
            try context.execute(BatchInsertRequest(entityName: "Thing", objects: [["a": value]]))
            let other = ManagedObjectContext(coordinator: context.coordinator)
            try expect(try other.object(entityName: "Thing", identifiedBy: ["a": value]) != nil, text)
            try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Thing")))
        }
        try expectEqual(
            batch == nil, plain == nil, "\(text): \(plain.map { "\($0)" } ?? "taken") alone, in a batch not so")
    }

    private static func tryPredicates(_ type: AttributeType, _ context: ManagedObjectContext) throws {
        var kept: [ManagedObject] = []
        for value in MatrixValues.all {
            let object = try context.insertObject(entityName: "Thing")
            do {
                try object.setValue(value, forKey: "a")
                // Not every store takes every text.
                try context.save()
                kept.append(object)
            } catch is BackstitchError {
                context.delete(object)
            }
        }
        for operation in [FetchComparison.Operator.equal, .notEqual, .less, .greaterOrEqual, .in] {
            for value in MatrixValues.all {
                let right: FetchExpression = operation == .in ? .list([.value(value)]) : .value(value)
                let predicate = FetchPredicate.comparison(FetchComparison(.keyPath("a"), operation, right))
                try expect(!predicate.description.isEmpty)
                for object in kept {
                    try object.setValue(object.value(forKey: "b").isNull ? .bool(true) : .null, forKey: "b")
                }
                let request = FetchRequest<ManagedObject>(entityName: "Thing", predicate: predicate)
                var counts: [Int] = []
                let unsaved = try verdict { counts.append(try context.fetch(request).count) }
                try context.save()
                let fresh = ManagedObjectContext(coordinator: context.coordinator)
                let saved = try verdict { counts.append(try fresh.fetch(request).count) }
                try expectEqual(saved, unsaved, "\(predicate) for \(type)")
                if operation == .equal, let typed = typedEquality(value) {
                    let request = FetchRequest<ManagedObject>(entityName: "Thing", predicate: typed)
                    let byKey = try verdict { counts.append(try fresh.fetch(request).count) }
                    try expectEqual(byKey, saved, "\(typed) for \(type)")
                }
                try expect(Set(counts).count < 2, "\(predicate) for \(type): \(counts)")
            }
        }
    }

    /// The comparison by a typed key; nil if there is none for the value.
    private static func typedEquality(_ value: Value) -> FetchPredicate? {
        switch value {
        case .bool(let value): Key<Bool>("a") == value
        case .int(let value): Key<Int64>("a") == value
        case .double(let value): Key<Double>("a") == value
        case .decimal(let value): Key<Decimal>("a") == value
        case .string(let value): Key<String>("a") == value
        case .date(let value): Key<Date>("a") == value
        case .uuid(let value): Key<UUID>("a") == value
        case .data(let value): Key<Data>("a") == value
        case .uri(let value): Key<URL>("a") == value
        case .null, .asset, .file, .object: nil
        }
    }

    /// A way to give an attribute a value.
    private struct Way: Sendable {
        let name: String
        let body: @Sendable (ManagedObjectContext, Value) throws -> Void
    }

    private static let ways: [Way] = [
        Way(name: "key-value") { context, value in
            let object = try context.insertObject(entityName: "Thing")
            defer { context.rollback() }
            try object.setValue(value, forKey: "a")
            try expect(!"\(object) \(object.changedValues)".isEmpty)
            try context.save()
            let committed = try object.committedValues()
            try expect(!"\(object) \(committed)".isEmpty)
        },
        Way(name: "property") { context, value in
            let object = try context.insertObject(entityName: "Thing")
            defer { context.rollback() }
            set(value, of: object)
            try context.save()
        },
        Way(name: "batch insert") { context, value in
            try context.execute(BatchInsertRequest(entityName: "Thing", objects: [["a": value]]))
        },
        Way(name: "batch update") { context, value in
            try context.execute(BatchInsertRequest(entityName: "Thing", objects: [[:]]))
            try context.execute(BatchUpdateRequest(entityName: "Thing", set: ["a": .value(value)]))
        },
    ]

    /// Sets the attribute as a property of the value's Swift type does.
    private static func set(_ value: Value, of object: ManagedObject) {
        switch value {
        case .null: object["a"] = nil as String?
        case .bool(let value): object["a"] = value
        case .int(let value): object["a"] = value
        case .double(let value): object["a"] = value
        case .decimal(let value): object["a"] = value
        case .string(let value): object["a"] = value
        case .date(let value): object["a"] = value
        case .data(let value): object["a"] = value
        case .uuid(let value): object["a"] = value
        case .uri(let value): object["a"] = value
        case .asset, .file, .object: object["a"] = AnyAttributeValue(attributeValue: value)
        }
    }
}

/// A type of a program's own, with any value.
private struct AnyAttributeValue: AttributeValue {
    static var missing: AnyAttributeValue { AnyAttributeValue(attributeValue: .null) }
    let attributeValue: Value

    init(attributeValue: Value) { self.attributeValue = attributeValue }
    init?(_ value: Value) { attributeValue = value }
}
