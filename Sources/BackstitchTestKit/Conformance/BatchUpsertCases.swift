import Backstitch

extension StoreConformance {
    /// Batch inserts of existing unique values, settled by each merge policy.
    ///
    /// A backend must
    /// - change the stored object, keep it, or refuse, as the policy says; merging policies decide column by column;
    /// - treat a value repeated in one request as one object;
    /// - count an object once in the result, even if it was written several times.
    ///
    /// A store fails when its own `INSERT OR REPLACE` makes a new row: identity and links are lost.
    static let batchUpsertCases =
        MergePolicy.allCases.map { policy in
            ConformanceCase(
                "a batch insert of a unique value that is there is settled by the policy \(policy)",
                needs: .uniqueConstraints
            ) { bench in
                try await bench.container(.unique).perform { context in try upsert(policy, context) }
            }
        } + [
            ConformanceCase(
                "a batch insert and those before it in the request may change one object many times",
                needs: .uniqueConstraints
            ) { bench in
                try await bench.container(.unique).perform { context in
                    context.mergePolicy = .mergeByPropertyObjectTrump
                    let rows: [[String: Value]] = (0..<9000).map {
                        ["slug": .string("\($0 % 3000)"), "count": .int(Int64($0 + 1))]
                    }
                    let result = try context.execute(
                        BatchInsertRequest(entityName: "Entry", objects: rows, resultType: .objectIDs))
                    try expectEqual(result.count, 3000)
                    let entries = try context.fetch(FetchRequest<Entry>(sortedBy: [.ascending("count")]))
                    try expect(entries.map(\.count) == Array(6001...9000))
                    try expectEqual(Set(result.objectIDs), Set(entries.map(\.objectID)))
                }
            },
            ConformanceCase(
                "a batch insert over an object that is there leaves what the store computes of it",
                needs: .uniqueConstraints, .derivedAttributes
            ) { bench in
                let model = ManagedObjectModel.derived.adding([], to: "Location", unique: [["name"]])
                try await bench.container(model).perform { context in
                    let place = Location(context: context)
                    place.name = "one"
                    for _ in 0..<2 { Entry(context: context).location = place }
                    try context.save()
                    context.mergePolicy = .overwrite
                    try context.execute(BatchInsertRequest(entityName: "Location", objects: [["name": "one"]]))
                    try expectEqual(try fresh(place, context).entryCount, 2)
                }
            },
            ConformanceCase(
                "a batch insert with the unique value of a relative changes what both have, and nothing else",
                needs: .inheritance, .uniqueConstraints
            ) { bench in
                try await bench.container(.uniqueFamily).perform { context in
                    let folder = Folder(context: context), duty = Duty(context: context)
                    duty.name = "Ada"
                    duty.effort = 5
                    (duty.owner, duty.reviewer) = (folder, folder)
                    try context.save()
                    context.mergePolicy = .overwrite
                    try context.execute(
                        BatchInsertRequest(entityName: "Memo", objects: [["name": "Ada", "tone": "warm"]]))
                    let found = try fresh(duty, context)
                    try expectEqual(found.effort, 5)
                    try expect(found.owner == nil && found.reviewer?.objectID == folder.objectID)
                    try expectEqual(context.count(for: FetchRequest<Item>()), 1)
                }
            },
            ConformanceCase(
                "a batch update that makes two values equal is refused, and names both", needs: .uniqueConstraints
            ) { bench in
                try await bench.container(.unique).perform { context in
                    try context.execute(
                        BatchInsertRequest(entityName: "Entry", objects: [["slug": "a"], ["slug": "b"]]))
                    let error = try expectError(.constraint) {
                        try context.execute(BatchUpdateRequest(entityName: "Entry", set: ["slug": "c"]))
                    }
                    try expect(error.constraintConflict?.values == ["c"], error.message)
                    try expectEqual(context.count(for: FetchRequest<Entry>(where: "slug == 'c'")), 0)
                }
            },
        ]

    /// Ann, with count 30 and without a mood, is stored. Then another Ann, with a mood and the default count, is
    /// inserted together with Ben.
    private static func upsert(_ policy: MergePolicy, _ context: ManagedObjectContext) throws {
        try context.execute(
            BatchInsertRequest(entityName: "Entry", objects: [["slug": "ann", "count": 30, "heading": "A"]]))
        let stored = try context.fetch(FetchRequest<Entry>())[0]
        context.mergePolicy = policy
        let request = BatchInsertRequest(
            entityName: "Entry",
            objects: [["slug": "ben"], ["slug": "ann", "mood": "calm", "heading": "B"]], resultType: .objectIDs)
        if policy == .error {
            let error = try expectError(.constraint) { try context.execute(request) }
            try expectEqual(error.constraintConflict?.otherObjectID, stored.objectID)
            try expectEqual(context.count(for: FetchRequest<Entry>()), 1)
            return
        }
        let result = try context.execute(request)
        try expectEqual(context.count(for: FetchRequest<Entry>()), 2)
        let (count, mood, heading): (Int, String?, String?) =
            switch policy {
            case .overwrite: (0, "calm", "B")
            case .mergeByPropertyObjectTrump: (30, "calm", "B")
            case .mergeByPropertyStoreTrump: (30, "calm", "A")
            case .rollback, .error: (30, nil, "A")
            }
        try expect(stored.count == count && stored.mood == mood && stored.heading == heading)
        try expectEqual(result.count, policy == .rollback ? 1 : 2)
        try expectEqual(result.objectIDs.contains(stored.objectID), policy != .rollback)
    }
}
