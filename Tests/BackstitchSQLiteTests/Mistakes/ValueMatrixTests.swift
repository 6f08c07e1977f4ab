import Backstitch
import BackstitchSQLite
import Foundation
import Testing

@Suite("every value, in every attribute, by every way", .timeLimit(.minutes(5)))
struct ValueMatrixTests {
    @Test("is taken by all ways or refused by all, with an error that can be printed", arguments: types)
    func verdicts(_ type: AttributeType) throws {
        let model = Self.model(type)
        let container = try PersistentContainer(model: model, store: .init(type: .sqlite))
        let context = ManagedObjectContext(coordinator: container.coordinator)
        for value in Self.values {
            let verdicts = try Self.ways.map { name, way in
                (name, try Self.verdict { try way(context, value) })
            }
            let expected = verdicts[0].1
            for (name, verdict) in verdicts {
                #expect(verdict == expected, "\(value.description) for \(type) by \(name)")
            }
            #expect(Self.verdict(ofDefault: value, type) == (expected == nil || value.isNull ? nil : .invalidModel))
        }
        try container.close()
    }

    @Test(
        "can be compared with in memory and in SQL alike, or is refused by both, with an error that can be printed",
        arguments: types)
    func predicates(_ type: AttributeType) throws {
        let container = try PersistentContainer(model: Self.model(type), store: .init(type: .sqlite))
        let context = ManagedObjectContext(coordinator: container.coordinator)
        var kept: [ManagedObject] = []
        for value in Self.values {
            let object = try context.insertObject(entityName: "Thing")
            if (try? object.setValue(value, forKey: "a")) != nil { kept.append(object) } else { context.delete(object) }
        }
        for operation in [FetchComparison.Operator.equal, .notEqual, .less, .greaterOrEqual, .in] {
            for value in Self.values {
                let right: FetchExpression = operation == .in ? .list([.value(value)]) : .value(value)
                let predicate = FetchPredicate.comparison(
                    FetchComparison(.keyPath("a"), operation, right))
                #expect(!predicate.description.isEmpty)
                var request = FetchRequest<ManagedObject>(entityName: "Thing")
                request.predicate = predicate
                var counts: [Int] = []
                let unsaved = try Self.verdict { counts.append(try context.fetch(request).count) }
                let fresh = ManagedObjectContext(coordinator: container.coordinator)
                try context.save()
                let saved = try Self.verdict { counts.append(try fresh.fetch(request).count) }
                #expect(unsaved == saved, "\(predicate) for \(type)")
                #expect(Set(counts).count < 2, "\(predicate) for \(type): \(counts)")
                // Unsaved again.
                for object in kept {
                    try object.setValue(object.value(forKey: "b").isNull ? .bool(true) : .null, forKey: "b")
                }
            }
        }
        try container.close()
    }

    @Test("is printed, alone and within all that may hold it", arguments: types)
    func printing(_ type: AttributeType) throws {
        for value in Self.values {
            let texts = [
                String(reflecting: value), "\([value])", "\(["a": value])",
                "\(Optional(value) as Any)",
                "\(FetchExpression.value(value))", "\(BatchExpression.value(value))", "\(Self.model(type, value))",
            ]
            for text in texts { #expect(!text.isEmpty) }
            // An empty text is the one value that prints as nothing.
            #expect("\(value)".isEmpty == (value == .string("")))
        }
    }

    private static func model(_ type: AttributeType, _ defaultValue: Value = .null) -> ManagedObjectModel {
        ManagedObjectModel(
            [EntityDescription("Thing", [.attribute("a", type, default: defaultValue), .attribute("b", .boolean)])],
            transformers: [.json("raw", [Int].self)])
    }

    /// The code of the error that `body` throws. The error is printed. Nil when it throws none.
    private static func verdict(_ body: () throws -> Void) throws -> BackstitchError.Code? {
        do {
            try body()
            return nil
        } catch let error as BackstitchError {
            #expect("\(error)".contains(error.message) && !error.message.isEmpty)
            return error.code
        }
    }

    private static func verdict(ofDefault value: Value, _ type: AttributeType) -> BackstitchError.Code? {
        do {
            _ = try ResolvedModel(model(type, value))
            return nil
        } catch {
            #expect(!"\(error)".isEmpty)
            return (error as? BackstitchError)?.code
        }
    }

    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid, .uri,
        .transformable(transformer: "raw"),
    ]

    private static let values: [Value] = texts + numbers + decimals + dates + others

    private static let texts: [Value] = [
        .null, .bool(true), .string(""), .string("a\0b"), .string(String(repeating: "\u{301}\u{323}", count: 500)),
    ]

    private static let numbers: [Value] = {
        let integers: [Int64] = [0, 1, -1, .min, .max, 40_000]
        let doubles: [Double] = [
            0, -0.0, 1.5, .nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            -.greatestFiniteMagnitude, 0x1p63, 1e40,
        ]
        return integers.map(Value.int) + doubles.map(Value.double)
    }()

    private static let decimals: [Value] = {
        let decimals: [Decimal] = [
            0, .nan, .greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude,
            Decimal(sign: .minus, exponent: -127, significand: 1), Decimal(sign: .plus, exponent: 127, significand: 9),
        ]
        return decimals.map(Value.decimal)
    }()

    private static let dates: [Value] = {
        let seconds: [Double] = [
            0, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e15, -1e15, 1e11,
            -1e11, 9_223_372_036_854_775, 1e18, 0.000_4,
        ]
        let dates = seconds.map { Date(timeIntervalSince1970: $0) } + [.distantPast, .distantFuture]
        return dates.map(Value.date)
    }()

    private static let others: [Value] = {
        let bytes: [Data] = [Data(), Data([0]), Data(repeating: 255, count: 5_000)]
        let addresses = ["about:blank", "https://example.org/%00?q=x#y", "a", "//"].compactMap { URL(string: $0) }
        return bytes.map(Value.data) + addresses.map(Value.uri) + [
            .uuid(ObjectKey(high: 0, low: 0).uuid), .asset(AssetReference(checksum: "", size: -1)),
            .object(ObjectID(entityName: "Thing", key: ObjectKey(high: 0, low: 0))),
        ]
    }()

    private static let ways: [(String, @Sendable (ManagedObjectContext, Value) throws -> Void)] = [
        (
            "key-value",
            { context, value in
                let object = try context.insertObject(entityName: "Thing")
                defer { context.rollback() }
                try object.setValue(value, forKey: "a")
                #expect(!"\(object) \(object.changedValues)".isEmpty)
                try context.save()
                #expect(!"\(object) \(try object.committedValues())".isEmpty)
            }
        ),
        (
            "property",
            { context, value in
                let object = try context.insertObject(entityName: "Thing")
                defer { context.rollback() }
                set(value, of: object)
                try context.save()
            }
        ),
        (
            "batch insert",
            { context, value in
                try context.execute(BatchInsertRequest(entityName: "Thing", objects: [["a": value]]))
            }
        ),
        (
            "batch update",
            { context, value in
                try context.execute(BatchInsertRequest(entityName: "Thing", objects: [[:]]))
                try context.execute(BatchUpdateRequest(entityName: "Thing", set: ["a": .value(value)]))
            }
        ),
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
        case .asset, .file, .object: object["a"] = Foreign(attributeValue: value)
        }
    }

    /// A type of a program's own, with any value.
    private struct Foreign: AttributeValue {
        static var missing: Foreign { Foreign(attributeValue: .null) }
        let attributeValue: Value

        init(attributeValue: Value) { self.attributeValue = attributeValue }
        init?(_ value: Value) { attributeValue = value }
    }
}
