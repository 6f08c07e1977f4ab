import Backstitch

/// The workloads whose allocations are counted.
enum Workload: String, CaseIterable {
    /// Objects fetched, and all values of them read.
    case fetch
    /// The same as dictionaries.
    case dictionaries
    /// Objects made with ten values each, in one save.
    case insert
    /// The same through a batch request.
    case batchInsert
    /// One changed value in objects in memory, in one save.
    case update
    /// Objects looked up one by one, in a context that does not have them.
    case lookUp
    /// A save for each object.
    case save

    /// Prepares the workload for this many rows. The returned closure does the counted work.
    func prepare(_ rows: Int, _ store: PersistentStoreCoordinator) throws -> () throws -> Void {
        let context = ManagedObjectContext(coordinator: store)
        switch self {
        case .insert: return { try Self.insert(rows, context) }
        case .batchInsert: return { try Self.batchInsert(rows, context) }
        case .save:
            return {
                for number in 0..<rows {
                    Item(context: context).i0 = number
                    try context.save()
                }
            }
        case .fetch, .dictionaries, .update, .lookUp: break
        }
        try Self.batchInsert(rows, ManagedObjectContext(coordinator: store))
        switch self {
        case .dictionaries:
            let request = DictionaryFetchRequest(entityName: "Item", Item.names.map { DictionaryColumn.key($0) })
            return {
                let sum = try context.fetch(request).reduce(0 as Int64) { sum, row in
                    row.values.reduce(sum) { if case .int(let number) = $1 { $0 &+ number } else { $0 } }
                }
                try Self.check(sum, rows)
            }
        case .update:
            let items = try context.fetch(FetchRequest<Item>())
            return {
                for item in items { item.i3 += 1 }
                try context.save()
            }
        case .lookUp:
            let ids = try context.fetchObjectIDs(FetchRequest<Item>())
            return {
                let sum = try ids.reduce(0) { $0 + ((try context.existingObject(with: $1) as? Item)?.sum ?? 0) }
                try Self.check(Int64(sum), rows)
            }
        default:
            return { try Self.check(Int64(context.fetch(FetchRequest<Item>()).reduce(0) { $0 + $1.sum }), rows) }
        }
    }

    private static func insert(_ rows: Int, _ context: ManagedObjectContext) throws {
        for number in 0..<rows {
            let item = Item(context: context)
            (item.i0, item.i1, item.i2, item.i3, item.i4) = (number, 1, 2, 3, 4)
            (item.i5, item.i6, item.i7, item.i8, item.i9) = (5, 6, 7, 8, 9)
        }
        try context.save()
    }

    private static func batchInsert(_ rows: Int, _ context: ManagedObjectContext) throws {
        var number = 0
        try context.execute(
            BatchInsertRequest(entityName: "Item") { row in
                guard number < rows else { return true }
                for (index, name) in Item.names.enumerated() { row[name] = .int(Int64(index == 0 ? number : index)) }
                number += 1
                return false
            })
    }

    /// All rows must have been there with all their values.
    private static func check(_ sum: Int64, _ rows: Int) throws {
        let expected = Int64(rows * (rows - 1) / 2 + rows * 45)
        guard sum == expected else {
            throw BackstitchError(.internalInconsistency, "the values' sum is \(sum) instead of \(expected)")
        }
    }
}
