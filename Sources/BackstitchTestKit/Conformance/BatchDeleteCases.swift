import Backstitch

extension StoreConformance {
    /// Batch deletes by predicate and by identity follow the delete rules in the store.
    ///
    /// A backend must
    /// - cascade along the rules until nothing more is reached, cycles included;
    /// - unlink the remaining objects and raise their versions, so that a context with an older row meets a conflict;
    /// - refuse the whole request when one deny rule applies, and name the objects;
    /// - return the deleted and the unlinked objects, each once.
    ///
    /// A store fails when it deletes only the matches of the predicate and leaves the rest to the contexts.
    static let batchDeleteCases = [
        ConformanceCase("a batch delete cascades, nullifies and cuts links in the store") { bench in
            let container = try bench.container()
            let background = container.newBackgroundContext()
            let ids = try await background.perform { context in
                let root = Entry(context: context), reply = Entry(context: context), kept = Entry(context: context)
                reply.parent = root
                reply.cover = Cover(context: context)
                root.text = "root"
                kept.text = "kept"
                let place = Location(context: context), tag = Tag(context: context), other = Tag(context: context)
                root.location = place
                kept.location = place
                root.tags = [tag, other]
                kept.tags = [tag]
                try context.save()
                return [root.objectID, kept.objectID, place.objectID, tag.objectID]
            }
            // The request is Sendable: it may be made outside the closure that executes it.
            let deletion = BatchDeleteRequest(
                try FetchRequest<Entry>(where: "text == 'root'"), resultType: .objectIDs)
            try await container.perform { context in
                let result = try context.execute(deletion)
                try expectEqual(Set(result.objectIDs.map(\.entityName)), ["Entry", "Cover"])
                try expectEqual(result.count, 3)
                try expectEqual(context.fetchObjectIDs(FetchRequest<Entry>()), [ids[1]])
                try expectEqual(context.count(for: FetchRequest<Cover>()), 0)
                try context.execute(BatchDeleteRequest(objectIDs: [ids[2]]))
                let kept = try context.existingObject(with: ids[1]) as? Entry
                try expectEqual(kept?.value(forKey: "location"), .null)
                try context.execute(BatchDeleteRequest(objectIDs: [ids[3]]))
                try expect(kept?.tags.isEmpty == true)
                try expectEqual(context.count(for: FetchRequest<Entry>(where: "tags.@count == 0")), 1)
            }
            try await background.perform { context in
                try expectError(.objectNotFound) { _ = try context.existingObject(with: ids[0]) }
                let kept = try context.existingObject(with: ids[1]) as? Entry
                try expect(kept?.location == nil && kept?.tags.isEmpty == true)
            }
        },
        ConformanceCase("a batch delete is refused by a deny rule, and allowed once nothing is left") { bench in
            try await bench.container().perform { context in
                let place = Location(context: context), free = Location(context: context)
                let warden = Warden(context: context)
                warden.name = "Ada"
                warden.location = place
                try context.save()
                let error = try expectError(.deleteDenied) {
                    try context.execute(BatchDeleteRequest(FetchRequest<Location>()))
                }
                try expect(error.objectID == place.objectID && error.key == "wardens", error.message)
                try expect(error.message.contains("\(warden.objectID)"), error.message)
                try expectEqual(context.count(for: FetchRequest<Location>()), 2)
                try expect(free.managedObjectContext != nil)
                try context.execute(BatchDeleteRequest(FetchRequest<Warden>()))
                try context.execute(BatchDeleteRequest(FetchRequest<Location>()))
                try expectEqual(context.count(for: FetchRequest<Location>()), 0)
                try expect(free.managedObjectContext == nil && warden.managedObjectContext == nil)
            }
        },
        ConformanceCase("a batch delete takes cycles, limits and order; ids must be of one entity") { bench in
            try await bench.container().perform { context in
                let first = Entry(context: context), second = Entry(context: context), third = Entry(context: context)
                second.parent = first
                first.parent = second
                first.count = 1
                third.count = 5
                let tag = Tag(context: context)
                try context.save()
                try context.execute(
                    BatchDeleteRequest(FetchRequest<Entry>(sortedBy: [.descending("count")], limit: 1, offset: 1)))
                try expectEqual(context.fetch(FetchRequest<Entry>()), [third])
                try expectError(.invalidRequest) {
                    try context.execute(BatchDeleteRequest(objectIDs: [third.objectID, tag.objectID]))
                }
                try expectError(.invalidRequest) { try context.execute(BatchDeleteRequest(objectIDs: [])) }
                let gone = try context.execute(
                    BatchDeleteRequest(objectIDs: [first.objectID, third.objectID], resultType: .count))
                try expectEqual(gone.count, 1)
            }
        },
        ConformanceCase("thousands of rows are updated and deleted at once, with those that refer to them") { bench in
            try await bench.container().perform { context in
                let place = Location(context: context)
                try context.save()
                let rows: [[String: Value]] = (0..<6000).map {
                    ["count": .int(Int64($0)), "location": .object(place.objectID)]
                }
                try context.execute(BatchInsertRequest(entityName: "Entry", objects: rows))
                let update = try context.execute(
                    BatchUpdateRequest(
                        entityName: "Entry", where: Key<Int>("count") < 5000, set: ["count": .key("count") + 10_000],
                        resultType: .count))
                try expectEqual(update.count, 5000)
                try context.execute(BatchDeleteRequest(objectIDs: [place.objectID]))
                try expectEqual(context.count(for: FetchRequest<Entry>(where: "location == nil")), 6000)
                let delete = try context.execute(
                    BatchDeleteRequest(try FetchRequest<Entry>(where: "count >= 10000"), resultType: .count))
                try expectEqual(delete.count, 5000)
                try expectEqual(context.count(for: FetchRequest<Entry>()), 1000)
            }
        },
    ]
}
