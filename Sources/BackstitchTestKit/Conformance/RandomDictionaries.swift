import Backstitch
import Foundation

/// Objects of every type, and dictionary fetches of them.
enum RandomDictionaries {
    /// Inserts 120 objects, each with some of the values below.
    static func insert(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        var objects: [[String: Value]] = []
        for _ in 0..<120 {
            var object: [String: Value] = ["string": "unsafe"]
            for (key, value) in values(&random) where Int.random(in: 0..<4, using: &random) > 0 { object[key] = value }
            objects.append(object)
        }
        try context.execute(BatchInsertRequest(entityName: "AllTypes", objects: objects))
    }

    /// Values close to each other, so that groups have several objects, and sums stay exact.
    private static func values(_ random: inout SeededGenerator) -> [(String, Value)] {
        let number = Int64.random(in: -3...3, using: &random)
        return [
            ("integer16", .int(number)), ("integer64", .int(number * 1_000_000_007)),
            ("decimal", .decimal(Decimal(number) / 8)), ("double", .double(Double(number) / 4)),
            ("float", .double(Double(number) * 2)), ("string", .string(number % 2 == 0 ? "Ä\(number)" : "b")),
            ("boolean", .bool(number > 0)), ("date", .date(Date(timeIntervalSince1970: Double(number) * 1e6))),
            ("uuid", .uuid(ObjectKey(high: UInt64(number + 3), low: 9).uuid)),
            ("uri", .uri(URL(fileURLWithPath: "/\(number)"))), ("binary", .data(Data([UInt8(number + 3)]))),
        ]
    }

    /// The attributes to choose from: one of each type that supports grouping.
    private static let keys = [
        "integer16", "integer64", "decimal", "double", "float", "string", "boolean", "date", "uuid", "uri", "binary",
    ]

    /// A request that fits the model: plain, or grouped with aggregates and a condition on them.
    static func request(_ random: inout SeededGenerator) throws -> DictionaryFetchRequest {
        let isGrouped = Bool.random(using: &random)
        let chosen = Array(keys.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)))
        var properties = chosen.map { DictionaryColumn.key($0) }
        if isGrouped {
            if Int.random(in: 0..<4, using: &random) == 0 { properties = [] }
            properties.append(.count())
            properties.append(.sum(["integer16", "decimal", "double"].randomElement(using: &random) ?? "", as: "sum"))
            for (index, aggregate) in [DictionaryColumn.Aggregate.min, .max, .countDistinct, .average].enumerated() {
                let key = ["integer64", "decimal", "float"].randomElement(using: &random) ?? ""
                properties.append(.aggregate(aggregate, key, as: "a\(index)"))
            }
        }
        let predicate = try FetchPredicate(
            format: "string != 'unsaved' AND (integer16 >= %d OR decimal < %d)", Int.random(in: -3...3, using: &random),
            Int.random(in: -3...3, using: &random))
        let orderable = properties.map(\.name).filter { $0 != "binary" }
        return DictionaryFetchRequest(
            entityName: "AllTypes", properties, where: predicate,
            groupBy: isGrouped && properties[0].aggregate == nil ? chosen : [],
            having: isGrouped ? try FetchPredicate(format: "count > 1 AND NOT sum == 0") : nil,
            sortedBy: orderable.shuffled(using: &random).prefix(1).map {
                FetchSortDescriptor($0, ascending: Bool.random(using: &random))
            },
            returnsDistinctResults: !chosen.contains("binary") && Bool.random(using: &random),
            limit: Int.random(in: 0..<40, using: &random), offset: Int.random(in: 0..<3, using: &random))
    }
}
