import Backstitch
import Foundation

extension StoreConformance {
    /// Prefetching, orders by every comparator, and fetches over unsaved changes.
    ///
    /// A backend must
    /// - answer for the related rows of many sources in one request;
    /// - order by ``FetchComparator`` as memory does: by scalars, without case, with numbers by value;
    /// - return more rows than the limit if the context asks for it, since unsaved changes may remove some.
    ///
    /// A store fails if its natural order differs from Backstitch's.
    static let prefetchCases = [
        ConformanceCase("prefetched relationships read as others do, with unsaved changes") { bench in
            let container = try bench.container()
            try await container.perform { context in
                try graph(context)
            }
            try await container.perform { context in
                let first = try context.fetch(FetchRequest<Entry>(where: "count == 0"))[0]
                let tag = try context.fetch(FetchRequest<Tag>(where: "name == 'even'"))[0]
                try first.add(tag, to: "tags")
                let all = try context.fetch(FetchRequest<Tag>())
                try expectEqual(all.count, 2)
                var request = FetchRequest<Entry>(sortedBy: [.ascending("count")])
                request.relationshipKeyPathsForPrefetching = ["tags", "location.wardens", "cover", "parent", "replies"]
                let entries = try context.fetch(request)
                try expectEqual(
                    entries.map { Set($0.tags.map(\.name)) }[0...2], [["even", "all"], ["all"], ["all", "even"]])
                try expectEqual(entries.map { $0.location?.wardens.count }, [2, 2, 2, 2, nil, nil])
                try expectEqual(entries.map { $0.cover?.title }, ["c0", nil, nil, nil, nil, nil])
                try expectEqual(entries.map { $0.parent?.count }, [nil, 0, 0, 0, 0, 0])
                try expectEqual(entries[0].replies.count, 5)
            }
        },
        ConformanceCase("a prefetch of what is no relationship says so") { bench in
            try await bench.container().perform { context in
                var request = FetchRequest<Entry>()
                request.relationshipKeyPathsForPrefetching = ["location.name"]
                let error = try expectError(.invalidRequest) { _ = try context.fetch(request) }
                try expect(error.message.contains("Location.name"), error.message)
                request.relationshipKeyPathsForPrefetching = ["lcoation"]
                try expectError(.invalidRequest) { _ = try context.fetch(request) }
            }
        },
        ConformanceCase("orders fold case and marks, take numbers by value, and go through relationships") { bench in
            try await bench.container().perform { context in
                let names = ["File 10", "file 9", "Éclair", "eclipse", "file 09b", "Zebra", "file", "7up", "File 100"]
                for name in names {
                    let entry = Entry(context: context), place = Location(context: context)
                    place.name = name
                    entry.text = name
                    entry.location = place
                }
                try context.save()
                func order(_ comparator: FetchComparator, ascending: Bool = true) throws -> [String] {
                    let descriptor = FetchSortDescriptor("location.name", ascending: ascending, comparator: comparator)
                    let entries = try context.fetch(FetchRequest<Entry>(sortedBy: [descriptor]))
                    let inMemory = try [descriptor.resolved(for: entries[0].entity, in: context.model)]
                        .sorted(entries.shuffled())
                    try expect(entries == inMemory, "\(entries.map(\.text)) \(inMemory.map(\.text))")
                    return entries.map(\.text)
                }
                try expectEqual(
                    order(.localizedStandardCompare),
                    ["7up", "Éclair", "eclipse", "file", "file 9", "file 09b", "File 10", "File 100", "Zebra"])
                try expectEqual(
                    order(.localizedStandardCompare, ascending: false), order(.localizedStandardCompare).reversed())
                try expectEqual(
                    order(.caseInsensitiveCompare),
                    ["7up", "eclipse", "file", "file 09b", "File 10", "File 100", "file 9", "Zebra", "Éclair"])
                try expectEqual(
                    order(.localizedCompare),
                    ["7up", "Éclair", "eclipse", "file", "file 09b", "File 10", "File 100", "file 9", "Zebra"])
                try expectEqual(
                    order(.compare),
                    ["7up", "File 10", "File 100", "Zebra", "eclipse", "file", "file 09b", "file 9", "Éclair"])
                try expectError(.invalidPredicate) {
                    _ = try context.fetch(
                        FetchRequest<Entry>(sortedBy: [.init("count", comparator: .localizedStandardCompare)]))
                }
            }
        },
        ConformanceCase("unsaved links count in a fetch, at both ends") { bench in
            try await bench.container().perform { context in
                let entry = Entry(context: context), other = Entry(context: context)
                let tag = Tag(context: context), place = Location(context: context)
                tag.name = "new"
                other.tags = [tag]
                other.location = place
                try context.save()
                entry.tags = [tag]
                other.tags = []
                entry.location = place
                let tagged = try FetchRequest<Entry>(where: "ANY tags.name == 'new'")
                try expectEqual(context.fetch(tagged), [entry])
                try expectEqual(context.count(for: tagged), 1)
                try expectEqual(context.fetch(FetchRequest<Location>(where: "entries.@count == 2")), [place])
                try expectEqual(context.fetch(FetchRequest<Tag>(where: "entries CONTAINS %@", other)), [])
                context.rollback()
                try expectEqual(context.fetch(tagged), [other])
                try expectEqual(context.count(for: FetchRequest<Location>(where: "entries.@count == 2")), 0)
            }
        },
        ConformanceCase("unsaved changes, limit, offset and order give what a save would give") { bench in
            try await bench.container().perform { context in
                var random = SeededGenerator(seed: 5)
                try insertEntries(30, context)
                for round in 0..<60 {
                    let entries = try context.fetch(FetchRequest<Entry>())
                    for _ in 0..<Int.random(in: 0...6, using: &random) {
                        let new = Int.random(in: 0..<60, using: &random)
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: Entry(context: context).count = new
                        case 1: context.delete(entries[Int.random(in: 0..<entries.count, using: &random)])
                        default:
                            let entry = entries[Int.random(in: 0..<entries.count, using: &random)]
                            if !entry.isDeleted { entry.count = new }
                        }
                    }
                    let request = try FetchRequest<Entry>(
                        where: "count > %d", Int.random(in: 0..<30, using: &random),
                        sortedBy: [FetchSortDescriptor("count", ascending: Bool.random(using: &random))],
                        limit: Int.random(in: 0..<15, using: &random), offset: Int.random(in: 0..<10, using: &random))
                    let before = try context.fetchObjectIDs(request), count = try context.count(for: request)
                    try context.save()
                    let after = try context.fetchObjectIDs(request)
                    try expect(before == after && count == after.count, "round \(round), seed 5: \(request)")
                }
            }
        },
    ]

    /// Six entries: the first has the others as replies, four are at a place with two wardens.
    private static func graph(_ context: ManagedObjectContext) throws {
        let place = Location(context: context), all = Tag(context: context), even = Tag(context: context)
        all.name = "all"
        even.name = "even"
        for name in ["Ada", "Bea"] {
            let warden = Warden(context: context)
            warden.name = name
            warden.location = place
        }
        let entries = (0..<6).map { _ in Entry(context: context) }
        for (number, entry) in entries.enumerated() {
            entry.count = number
            entry.tags = number > 0 && number % 2 == 0 ? [all, even] : [all]
            if number < 4 { entry.location = place }
            if number > 0 { entry.parent = entries[0] }
        }
        entries[0].cover = Cover(context: context)
        entries[0].cover?.title = "c0"
        try context.save()
    }
}
