import Backstitch
import Foundation

extension StoreConformance {
    /// Aggregates at the limits of numbers. Memory and store must give the same answer, for any order of rows.
    ///
    /// A store fails when its database throws for a sum outside the range of doubles, returns NaN, or computes with
    /// more digits than a `Decimal`.
    static let aggregateCases =
        doubleGroups.map { name, numbers, sum, mean in
            ConformanceCase("the sum and the mean of \(name) are the same in memory and in the store") { bench in
                try await bench.container(numberModel).perform { context in
                    for order in [numbers, numbers.reversed()] {
                        let found = try aggregates(of: order.map { ["d": .double($0)] }, "d", in: context)
                        for values in found { try expectEqual(values, [sum, mean], "\(order)") }
                    }
                }
            }
        }
        + decimalGroups.map { name, texts, sum, mean in
            ConformanceCase("the sum and the mean of \(name) are exact or refused") { bench in
                try await bench.container(numberModel).perform { context in
                    let rows = try texts.map { ["e": Value.decimal(try decimal($0))] }
                    for order in [rows, rows.reversed()] {
                        guard let sum, let mean else {
                            for property in [DictionaryColumn.sum("e"), .average("e")] {
                                try expectRefusal(property, order, in: context)
                            }
                            continue
                        }
                        let expected: [Value] = [.decimal(try decimal(sum)), .decimal(try decimal(mean))]
                        for values in try aggregates(of: order, "e", in: context) {
                            try expectEqual(values, expected, "\(texts)")
                        }
                    }
                }
            }
        } + [
            ConformanceCase("a number beyond a float is refused, infinity and the largest float are not") { bench in
                try await bench.container(numberModel).perform { context in
                    let number = try context.insertObject(entityName: "Number")
                    for wrong in [1e39, -1e39, .greatestFiniteMagnitude] {
                        let error = try expectError(.invalidValue) { try number.setValue(.double(wrong), forKey: "f") }
                        try expect(error.message.contains("3.4028235e+38"), error.message)
                        try expectError(.invalidValue) {
                            try context.execute(
                                BatchInsertRequest(entityName: "Number", objects: [["f": .double(wrong)]]))
                        }
                    }
                    for right in [.infinity, -.infinity, Double(Float.greatestFiniteMagnitude), 0.1] {
                        try number.setValue(.double(right), forKey: "f")
                        try context.save()
                        let found = try context.count(
                            for: FetchRequest<ManagedObject>(entityName: "Number", where: "f == %@", right))
                        try expectEqual(found, 1, "\(right)")
                    }
                    try expectEqual(
                        try context.count(
                            for: FetchRequest<ManagedObject>(entityName: "Number", where: "f == %@", 1e39)), 0)
                }
            }
        ]

    private typealias DoubleGroup = (name: String, numbers: [Double], sum: Value, mean: Value)

    private static let doubleGroups: [DoubleGroup] = [
        ("both infinities", [.infinity, -.infinity], .null, .null),
        ("infinity and a number", [.infinity, 1], .double(.infinity), .double(.infinity)),
        ("numbers whose sum is too large", [1e308, 1e308, 1e308], .double(.infinity), .double(1e308)),
        ("numbers whose sum is too small", [-1e308, -1e308], .double(-.infinity), .double(-1e308)),
        ("numbers that leave the range on the way", [1.5e308, 1.5e308, -1.5e308, -1.5e308], .double(0), .double(0)),
        ("large numbers that cancel out beside small ones", [1e300, 4, -1e300], .double(4), .double(4 / 3.0)),
        ("no numbers", [], .null, .null), ("what is no number", [.nan, 3, .nan], .double(3), .double(3)),
        ("the smallest numbers", [5e-324, 5e-324], .double(1e-323), .double(5e-324)),
        ("halves", [0.5, 1.5], .double(2), .double(1)),
    ]

    private typealias DecimalGroup = (name: String, numbers: [String], sum: String?, mean: String?)

    private static let decimalGroups: [DecimalGroup] = [
        ("decimals of far scales", ["1000000000000000000000000000000", "0.\(zeros(99))1"], nil, nil),
        (
            "decimals of far scales that cancel out", ["1\(zeros(30))", "0.\(zeros(99))1", "-1\(zeros(30))"],
            "0.\(zeros(99))1", "0"
        ),
        (
            "decimals that cancel out", ["1\(zeros(30))", "0.0000001", "-1\(zeros(30))"], "0.0000001",
            "0.00000003333333333333"
        ),
        ("decimals with too many digits together", ["1\(zeros(37))", "0.01"], nil, nil),
        (
            "decimals that have a mean of many digits", ["1\(zeros(15))", "0.01", "0.02"], "1\(zeros(15)).03",
            "333333333333333.34333333333333333333"
        ),
    ]

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    /// Sum and mean, of unsaved objects and of stored ones. The objects are deleted afterwards.
    private static func aggregates(
        of rows: [[String: Value]], _ key: String, in context: ManagedObjectContext
    ) throws -> [[Value]] {
        var request = DictionaryFetchRequest(
            entityName: "Number", [.sum(key, as: "sum"), .average(key, as: "mean")])
        let objects = try rows.map { values in
            let object = try context.insertObject(entityName: "Number")
            for (name, value) in values { try object.setValue(value, forKey: name) }
            return object
        }
        request.includesPendingChanges = true
        let pending = try context.fetch(request).map { Array($0.values) }
        try context.save()
        request.includesPendingChanges = false
        let stored = try context.fetch(request).map { Array($0.values) }
        objects.forEach(context.delete)
        try context.save()
        return pending + stored
    }

    private static func expectRefusal(
        _ property: DictionaryColumn, _ rows: [[String: Value]], in context: ManagedObjectContext
    ) throws {
        var request = DictionaryFetchRequest(entityName: "Number", [property])
        let objects = try rows.map { values in
            let object = try context.insertObject(entityName: "Number")
            for (name, value) in values { try object.setValue(value, forKey: name) }
            return object
        }
        request.includesPendingChanges = true
        try expectError(.invalidValue) { _ = try context.fetch(request) }
        try context.save()
        request.includesPendingChanges = false
        try expectError(.invalidValue) { _ = try context.fetch(request) }
        objects.forEach(context.delete)
        try context.save()
    }

    private static let numberModel = ManagedObjectModel([
        EntityDescription("Number", [.attribute("d", .double), .attribute("e", .decimal), .attribute("f", .float)])
    ])
}
