import Backstitch

extension StoreConformance {
    /// One save deletes an object and inserts another one with the same identity.
    ///
    /// A backend must accept the resulting update of the row and of its links. A store fails when it keeps values or
    /// links of the deleted object.
    static let reinsertionCases = [
        ConformanceCase("a new object with the identity of a deleted one resets what is not set", needs: .history) {
            bench in
            try await bench.container(.diaries).perform { context in
                let (diary, keeper, reader) = try saved(in: context)
                let pages = diary.pages
                let before = try context.coordinator.currentHistoryToken()
                context.delete(diary)
                guard let new = try context.insertObject(with: diary.objectID) as? Diary else {
                    return try expect(false, "an object of another class")
                }
                try expect(new !== diary && diary.managedObjectContext == nil, "the deleted object is still there")
                try expectEqual([new.title, "\(new.pages.count)", "\(new.readers.count)"], ["", "0", "0"])
                try expectEqual(new.calls, ["awakeFromInsert"])
                try expectEqual(reader.objects(forKey: "diaries"), [])
                try expectEqual(keeper.objects(forKey: "kept"), [])
                new.title = "new"
                try new.add(reader, to: "readers")
                try context.save()
                try expectEqual(context._checkInvariants(), [])
                let found = try fresh(new, context)
                try expectEqual([found.title, "\(found.pages.count)"], ["new", "0"])
                try expectEqual(found.readers.map(\.objectID), [reader.objectID])
                try expect(found.object(forKey: "keeper") == nil, "a link is left")
                try expect(pages.allSatisfy { $0.managedObjectContext == nil }, "a page is left")
                let changes = try context.coordinator.history(after: before).flatMap(\.changes)
                try expectEqual(changes.filter { $0.objectID == new.objectID }.map(\.kind), [.update])
            }
        },
        ConformanceCase("a deletion and an insertion of one identity are taken back step by step") { bench in
            try await bench.container(.diaries).perform { context in
                let (diary, keeper, _) = try saved(in: context)
                let pages = diary.pages.map(\.objectID)
                context.undoManager = ContextUndoManager()
                context.delete(diary)
                context.processPendingChanges()
                let new = try context.insertObject(with: diary.objectID)
                try new.setValue(.string("new"), forKey: "title")
                context.processPendingChanges()
                context.undo()
                try expect(new.isDeleted, "the deletion is not there again")
                context.undo()
                guard let back = try context.existingObject(with: new.objectID) as? Diary else {
                    return try expect(false, "an object of another class")
                }
                try expectEqual(back.title, "old")
                try expectEqual(back.pages.map(\.objectID), pages)
                try expect(back.object(forKey: "keeper") === keeper, "a link is lost")
                try expectEqual(context._checkInvariants(), [])
                try context.save()
                try expectEqual(try fresh(back, context).pages.map(\.objectID), pages)
            }
        },
        ConformanceCase("an identity is not given twice while its object stays") { bench in
            try await bench.container(.diaries).perform { context in
                let (diary, _, _) = try saved(in: context)
                try expectError(.invalidRequest) { _ = try context.insertObject(with: diary.objectID) }
                context.delete(diary)
                let new = try context.insertObject(with: diary.objectID)
                try expectError(.invalidRequest) { _ = try context.insertObject(with: diary.objectID) }
                context.delete(new)
                // The same once more, and then a final deletion.
                context.delete(try context.insertObject(with: diary.objectID))
                try context.save()
                try expectEqual(try context.count(for: FetchRequest<Diary>()), 0)
                let last = try context.insertObject(with: diary.objectID)
                try expect(last.isInserted, "it is an update of nothing")
                try context.save()
                try expectEqual(try context.count(for: FetchRequest<Diary>()), 1)
            }
        },
    ]

    /// A saved diary with pages, a keeper and a reader. The keeper and the reader are returned as well.
    private static func saved(in context: ManagedObjectContext) throws -> (Diary, Warden, Warden) {
        let diary = Diary(context: context), people = [Warden(context: context), Warden(context: context)]
        for (index, warden) in people.enumerated() { warden.name = "\(index)" }
        diary.title = "old"
        diary.pages = [Page(context: context), Page(context: context)]
        diary.readers = [people[1]]
        try diary.setObject(people[0], forKey: "keeper")
        try context.save()
        return (diary, people[0], people[1])
    }
}
