import Backstitch

extension StoreConformance {
    static let batchUpsertCases =
        MergePolicy.allCases.map { policy in
            ConformanceCase(
                "a batch insert of a unique value that is there is settled by the policy \(policy)",
                needs: .uniqueConstraints
            ) { bench in
                try await bench.container(.roster).perform { context in try upsert(policy, context) }
            }
        } + [
            ConformanceCase(
                "a batch insert and those before it in the request may change one object many times",
                needs: .uniqueConstraints
            ) { bench in
                try await bench.container(.roster).perform { context in
                    context.mergePolicy = .mergeByPropertyObjectTrump
                    let rows: [[String: Value]] = (0..<9000).map {
                        ["email": .string("\($0 % 3000)"), "age": .int(Int64($0 + 1))]
                    }
                    let result = try context.execute(
                        BatchInsertRequest(entityName: "Member", objects: rows, resultType: .objectIDs))
                    try expectEqual(result.count, 3000)
                    let members = try context.fetch(FetchRequest<Member>(sortedBy: [.ascending("age")]))
                    try expect(members.map(\.age) == Array(6001...9000))
                    try expectEqual(Set(result.objectIDs), Set(members.map(\.objectID)))
                }
            },
            ConformanceCase(
                "a batch update that makes two values equal is refused, and names both", needs: .uniqueConstraints
            ) { bench in
                try await bench.container(.roster).perform { context in
                    try context.execute(
                        BatchInsertRequest(entityName: "Member", objects: [["email": "a"], ["email": "b"]]))
                    let error = try expectError(.constraint) {
                        try context.execute(BatchUpdateRequest(entityName: "Member", set: ["email": "c"]))
                    }
                    try expect(error.constraintConflict?.values == ["c"], error.message)
                    try expectEqual(context.count(for: FetchRequest<Member>(where: "email == 'c'")), 0)
                }
            },
        ]

    /// Ann, aged 30 and without a city, is stored; another Ann with a city and the default age comes, and Ben.
    private static func upsert(_ policy: MergePolicy, _ context: ManagedObjectContext) throws {
        try context.execute(
            BatchInsertRequest(entityName: "Member", objects: [["email": "ann", "age": 30, "nickname": "A"]]))
        let stored = try context.fetch(FetchRequest<Member>())[0]
        context.mergePolicy = policy
        let request = BatchInsertRequest(
            entityName: "Member",
            objects: [["email": "ben"], ["email": "ann", "city": "Rome", "nickname": "B"]], resultType: .objectIDs)
        if policy == .error {
            let error = try expectError(.constraint) { try context.execute(request) }
            try expectEqual(error.constraintConflict?.otherObjectID, stored.objectID)
            try expectEqual(context.count(for: FetchRequest<Member>()), 1)
            return
        }
        let result = try context.execute(request)
        try expectEqual(context.count(for: FetchRequest<Member>()), 2)
        let (age, city, nickname): (Int, String?, String?) =
            switch policy {
            case .overwrite: (0, "Rome", "B")
            case .mergeByPropertyObjectTrump: (30, "Rome", "B")
            case .mergeByPropertyStoreTrump: (30, "Rome", "A")
            case .rollback, .error: (30, nil, "A")
            }
        try expect(stored.age == age && stored.city == city && stored.nickname == nickname)
        try expectEqual(result.count, policy == .rollback ? 1 : 2)
        try expectEqual(result.objectIDs.contains(stored.objectID), policy != .rollback)
    }
}
