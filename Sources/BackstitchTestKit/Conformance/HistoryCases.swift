import Backstitch
import Foundation

extension StoreConformance {
    /// History describes each transaction: its number, time, author and context, and its changes to each object.
    ///
    /// A backend must
    /// - write it in the transaction of the rows, for saves and batch requests alike;
    /// - number transactions in the order of commits, without a gap;
    /// - keep the values of a deleted object that the model wants preserved;
    /// - purge up to the slowest known reader, but never the last ten minutes, and tell a reader whose place was
    ///   purged;
    /// - find the commits of other processes by itself, and leave out its own.
    ///
    /// A store fails when it takes a number before it holds the lock: a reader that has seen 8 then never hears of 7.
    static let historyCases = [
        ConformanceCase("history tells who did what to which object, in the order of saves", needs: .history) { bench in
            let container = try bench.container()
            try await container.perform(author: "importer") { context in
                let coordinator = context.coordinator
                let start = try coordinator.currentHistoryToken()
                context.name = "import"
                let entry = Entry(context: context), tag = Tag(context: context)
                try context.save()
                entry.text = "changed"
                entry.tags = [tag]
                try context.save()
                context.transactionAuthor = nil
                context.delete(tag)
                try context.save()
                let all = try coordinator.history(after: start)
                try expectEqual(all.map(\.author), ["importer", "importer", nil])
                try expectEqual(all.map(\.contextName), ["import", "import", "import"])
                try expectEqual(all.map(\.timestamp), Array(repeating: bench.clock.now(), count: 3))
                try expectEqual(Set(all[0].identities.inserted), [entry.objectID, tag.objectID])
                let update = all[1].changes.first { $0.objectID == entry.objectID }
                try expectEqual(update?.kind, .update)
                try expectEqual(update?.updatedProperties, ["text", "tags"])
                try expectEqual(all[2].changes.first { $0.objectID == tag.objectID }?.kind, .delete)
                try expect(all.map(\.number) == all.map(\.number).sorted())
                try expectEqual(try coordinator.history(after: all[1].token), [all[2]])
                try expectEqual(try coordinator.currentHistoryToken(), all[2].token)
                try expectEqual(try coordinator.history(after: start, limit: 2), Array(all.prefix(2)))
            }
        },
        ConformanceCase(
            "history is found by author, entity, kind and time; others' authors include none", needs: .history
        ) { bench in
            let container = try bench.container()
            try await container.perform { context in
                for (author, day) in [("importer", 0), (nil, 1), ("user", 2)] as [(String?, Int64)] {
                    context.transactionAuthor = author
                    if day == 1 { _ = Tag(context: context) } else { _ = Entry(context: context) }
                    try context.save()
                    bench.clock.advance(by: 86_400_000)
                }
                let coordinator = context.coordinator
                try expectEqual(
                    try coordinator.history(where: "author != %@", "importer").map(\.author), [nil, "user"])
                try expectEqual(
                    try coordinator.history(where: "ANY changes.entityName == %@", "Tag").map(\.author), [nil])
                try expectEqual(try coordinator.history(where: "ANY changes.kind == 'delete'").count, 0)
                try expectEqual(
                    try coordinator.history(since: bench.clock.now().addingTimeInterval(-90_000)).map(\.author),
                    ["user"])
                try expectError(.invalidPredicate) { _ = try coordinator.history(where: "writer == 'me'") }
            }
        },
        ConformanceCase("batch requests write history as saves do", needs: .history) { bench in
            try await bench.container().perform { context in
                for _ in 0..<3 { _ = Entry(context: context) }
                try context.save()
                let token = try context.coordinator.currentHistoryToken()
                context.transactionAuthor = "batch"
                try context.execute(BatchUpdateRequest(entityName: "Entry", set: ["text": .value("all")]))
                try context.execute(BatchDeleteRequest(FetchRequest<Entry>()))
                let all = try context.coordinator.history(after: token)
                try expectEqual(all.map(\.author), ["batch", "batch"])
                try expectEqual(
                    all.map { $0.changes.map(\.kind) }, [[.update, .update, .update], [.delete, .delete, .delete]])
            }
        },
        ConformanceCase("a tombstone keeps the values that the model asks for", needs: .history) { bench in
            let container = try bench.container(.diaries)
            try await container.perform { context in
                let page = Page(context: context)
                try page.setValue("A-17", forKey: "serial")
                page.name = "hammer"
                try context.save()
                context.delete(page)
                try context.save()
                let change = try context.coordinator.history().last?.changes.first
                try expectEqual(change?.kind, .delete)
                try expectEqual(change?.tombstone, ["serial": "A-17"])
            }
        },
        ConformanceCase("purging never passes the slowest known reader, nor the last ten minutes", needs: .history) {
            bench in
            let container = try bench.container()
            try await container.perform { context in
                let coordinator = context.coordinator
                func save() throws -> PersistentHistoryToken {
                    _ = Entry(context: context)
                    try context.save()
                    return try coordinator.currentHistoryToken()
                }
                let first = try save(), second = try save()
                try coordinator.setHistoryConsumer("widget", to: first)
                bench.clock.advance(by: 3_600_000)
                let third = try save()
                try expectEqual(try coordinator.purgeHistory(through: third), 1)
                try expectError(.historyExpired) {
                    _ = try coordinator.history(
                        after: PersistentHistoryToken(storeID: first.storeID, number: first.number - 1))
                }
                try expectEqual(try coordinator.history(after: first).map(\.token), [second, third])
                try coordinator.setHistoryConsumer("widget", to: third)
                try expectEqual(try coordinator.historyConsumers(), ["widget": third])
                try expectEqual(try coordinator.purgeHistory(before: .distantFuture), 1)
                try expectEqual(try coordinator.history(after: second).map(\.token), [third])
                try coordinator.removeHistoryConsumer("widget")
                try expectEqual(try coordinator.historyConsumers(), [:])
                bench.clock.advance(by: 3_600_000)
                try expectEqual(try coordinator.purgeHistory(before: .distantFuture), 1)
                try expectEqual(try coordinator.history(), [])
                try expectEqual(try coordinator.currentHistoryToken(), third)
            }
        },
        ConformanceCase("a token of another store is refused", needs: .history) { bench in
            try await bench.container().perform { context in
                let stranger = PersistentHistoryToken(storeID: UUID(), number: 0)
                try expectError(.historyExpired) { _ = try context.coordinator.history(after: stranger) }
                try expectError(.historyExpired) { try context.coordinator.setHistoryConsumer("me", to: stranger) }
            }
        },
        ConformanceCase(
            "what another process saves arrives by itself, what this one saves is not told twice",
            needs: .history, .sharing
        ) { bench in
            guard bench.store.isDurable else { return }
            let mine = try bench.container(), theirs = try bench.container()
            let told = mine.coordinator.remoteChanges
            try await mine.perform { context in
                for _ in 0..<5 {
                    _ = Tag(context: context)
                    try context.save()
                }
            }
            let id = try await theirs.perform { context in
                let entry = Entry(context: context)
                try context.save()
                return entry.objectID
            }
            var inserted: [ObjectID] = []
            for await changes in told {
                inserted += changes.inserted
                if inserted.contains(id) { break }
            }
            try expectEqual(inserted, [id])
            try theirs.close()
        },
    ]
}
