import Backstitch
import Foundation

extension StoreConformance {
    /// Ordered relationships keep their order, in one-to-many and at both ends of a many-to-many.
    ///
    /// A backend must
    /// - keep the places given by the context. They are columns or values of links like others;
    /// - compare them as bytes;
    /// - read the same order for all readers after two insertions at one place;
    /// - write only the moved row.
    ///
    /// A store fails when it gives places another collation, or shows them as attributes of the program.
    static let orderCases = [
        ordered("an ordered relationship is read back in its order") { context in
            let list = try diary(["c", "a", "b"], in: context)
            try expectEqual(list.names, ["c", "a", "b"])
            page("d", in: context).diary = list
            try list.add(page("e", in: context), to: "pages")
            try expectEqual(list.names, ["c", "a", "b", "d", "e"])
            try context.save()
            try expectEqual(list.names, ["c", "a", "b", "d", "e"])
            try expectEqual(try fresh(list, context).names, ["c", "a", "b", "d", "e"])
            // Places are not attributes of the program.
            let row = try context.fetch(DictionaryFetchRequest(entityName: "Page"))[0]
            try expect(!row.names.contains { $0.contains("_") }, "\(row.names)")
        },
        ordered("an object that comes between others, or moves, is the only row that changes") { context in
            let list = try diary(["a", "b", "c", "d"], in: context)
            let between = page("x", in: context)
            try list.insert(between, into: "pages", at: 2)
            try expectEqual(context.updatedObjects, [list])
            try expectEqual(list.names, ["a", "b", "x", "c", "d"])
            try context.save()
            for (from, to, names) in [
                (4, 0, ["d", "a", "b", "x", "c"]), (0, 3, ["a", "b", "x", "d", "c"]),
                (1, 1, ["a", "b", "x", "d", "c"]),
            ] {
                let moved = list.pages[from]
                try list.moveObject(in: "pages", from: from, to: to)
                try expectEqual(list.names, names)
                try expectEqual(context.updatedObjects, from == to ? [] : [moved])
                try context.save()
                try expectEqual(try fresh(list, context).names, names)
            }
        },
        ordered("an ordered relationship is replaced as a whole and in part") { context in
            let list = try diary(["a", "b", "c"], in: context)
            let old = list.pages
            let new = page("n", in: context)
            try list.replaceObject(in: "pages", at: 1, with: new)
            try expectEqual(list.names, ["a", "n", "c"])
            try expect(old[1].diary == nil)
            list.pages = [old[2], old[1], old[0]]
            try expectEqual(list.names, ["c", "b", "a"])
            try expect(new.diary == nil)
            try context.save()
            try expectEqual(try fresh(list, context).names, ["c", "b", "a"])
        },
        ordered("places beyond the end, objects given twice, and unordered relationships are refused") { context in
            let list = try diary(["a", "b"], in: context)
            let new = page("n", in: context)
            for place in [-1, 3] {
                try expectError(.invalidRequest) { try list.insert(new, into: "pages", at: place) }
                try expectError(.invalidRequest) { try list.moveObject(in: "pages", from: place, to: 0) }
                try expectError(.invalidRequest) { try list.moveObject(in: "pages", from: 0, to: place) }
                try expectError(.invalidRequest) { try list.replaceObject(in: "pages", at: place, with: new) }
            }
            try expectError(.invalidValue) { try list.setObjects([new, new], forKey: "pages") }
            let stranger = Folder(context: ManagedObjectContext(coordinator: context.coordinator))
            try expectError(.invalidRequest) { try list.insert(stranger, into: "pages", at: 0) }
            try expectEqual(list.names, ["a", "b"])
            try expect(new.diary == nil)
        },
        ordered("a rollback gives the saved order back") { context in
            let list = try diary(["a", "b", "c"], in: context)
            list.pages.reverse()
            try list.insert(page("n", in: context), into: "pages", at: 0)
            context.rollback()
            try expectEqual(list.names, ["a", "b", "c"])
            page("d", in: context).diary = list
            try expectEqual(list.names, ["a", "b", "c", "d"])
        },
        ordered("a child context hands its order to the parent") { context in
            let list = try diary(["a", "b", "c"], in: context)
            let child = ManagedObjectContext(parent: context)
            guard let mine = try child.existingObject(with: list.objectID) as? Diary else {
                return try expect(false)
            }
            try expectEqual(mine.names, ["a", "b", "c"])
            try mine.insert(page("n", in: child), into: "pages", at: 1)
            try mine.moveObject(in: "pages", from: 3, to: 0)
            let readers = try ["x", "y"].map { try reader($0, in: child) }
            mine.readers = [readers[1], readers[0]]
            try child.save()
            try expectEqual(list.names, ["c", "a", "n", "b"])
            page("z", in: context).diary = list
            try expectEqual(list.names, ["c", "a", "n", "b", "z"])
            try expectEqual(list.readers.map(\.name), ["y", "x"])
            try context.save()
            let found = try fresh(list, context)
            try expectEqual(found.names, ["c", "a", "n", "b", "z"])
            try expectEqual(found.readers.map(\.name), ["y", "x"])
        },
        ordered("two contexts that insert at one place lose nothing, and read one order") { context in
            let list = try diary(["a", "b"], in: context)
            let other = ManagedObjectContext(coordinator: context.coordinator)
            guard let theirs = try other.existingObject(with: list.objectID) as? Diary else {
                return try expect(false)
            }
            try list.insert(page("mine", in: context), into: "pages", at: 1)
            try theirs.insert(page("theirs", in: other), into: "pages", at: 1)
            try context.save()
            try other.save()
            let names = try fresh(list, context).names
            try expectEqual(names.sorted(), ["a", "b", "mine", "theirs"])
            try expectEqual([names.first, names.last], ["a", "b"])
            context.refresh(list, mergeChanges: true)
            try expectEqual(list.names, names)
            // Both have the same rank. Another one must still fit between them.
            try list.insert(page("new", in: context), into: "pages", at: 2)
            try expectEqual(list.names, [names[0], names[1], "new", names[2], names[3]])
            try context.save()
            try expectEqual(try fresh(list, context).names, list.names)
        },
        ordered("a page that changes diaries goes to the end; a deleted one leaves the others where they are") {
            context in
            let list = try diary(["a", "b", "c"], in: context), other = try diary(["x", "y"], in: context)
            let moved = list.pages[0]
            moved.diary = other
            try expectEqual(list.names, ["b", "c"])
            try expectEqual(other.names, ["x", "y", "a"])
            context.delete(other.pages[1])
            try context.save()
            try expectEqual(try fresh(other, context).names, ["x", "a"])
            try expectEqual(try fresh(list, context).names, ["b", "c"])
        },
        ordered("both ends of a many-to-many have an order of their own") { context in
            let lists = try [diary([], in: context), diary([], in: context)]
            let readers = try ["a", "b", "c"].map { try reader($0, in: context) }
            lists[0].readers = [readers[2], readers[0], readers[1]]
            try lists[1].insert(readers[2], into: "readers", at: 0)
            try readers[2].moveObject(in: "diaries", from: 1, to: 0)
            try context.save()
            for list in [lists[0], try fresh(lists[0], context)] {
                try expectEqual(list.readers.map(\.name), ["c", "a", "b"])
            }
            try expectEqual(readers[2].diaries, [lists[1], lists[0]])
            context.delete(readers[0])
            try context.save()
            try expectEqual(try fresh(lists[0], context).readers.map(\.name), ["c", "b"])
        },
        ConformanceCase("an ordered relationship does as an array does, whatever is done to it") { bench in
            let container = try bench.container(.diaries)
            let seed = SeededGenerator.seed()
            print("BACKSTITCH_SEED=\(seed) repeats the walks over ordered relationships")
            for (entity, key, members) in [
                ("Diary", "pages", "Page"), ("Diary", "readers", "Warden"), ("Warden", "diaries", "Diary"),
            ] {
                for seed in [1] + (0..<Effort.size("ORDER_WALKS", usual: 2, whole: 12)).map({ seed &+ UInt64($0) }) {
                    try await container.perform { _ in
                        // This context hears of the saves of others.
                        let context = ManagedObjectContext(coordinator: container.coordinator)
                        var walk = try RandomOrders(seed: seed, entity, key, of: members, in: context)
                        try walk.run(steps: 60)
                    }
                }
            }
        },
        ordered("places stay short, wherever objects are put and however often they are reversed") { context in
            let list = try diary([], in: context)
            list.pages = (0..<500).map { page("\($0)", in: context) }
            for _ in 0..<5 { list.pages.reverse() }
            for number in 0..<400 { try list.insert(page("\(number)", in: context), into: "pages", at: 1) }
            for number in 0..<200 { try list.insert(page("\(number)", in: context), into: "pages", at: 300 + number) }
            for _ in 0..<300 { try list.moveObject(in: "pages", from: 700, to: 2) }
            let names = list.names
            try context.save()
            try expectEqual(try fresh(list, context).names, names)
            for page in list.pages {
                guard case .string(let place) = try page.value(forKey: "diary_position") else {
                    return try expect(false, "a page without a place")
                }
                try expect(place.utf8.count <= 40, "the place \(place)")
            }
        },
    ]

    /// A case on the journal with diaries, whose pages and readers have an order.
    private static func ordered(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name) { try await $0.container(.diaries).perform(body) }
    }

    /// A saved diary of pages with these names.
    private static func diary(_ names: [String], in context: ManagedObjectContext) throws -> Diary {
        let list = Diary(context: context)
        list.pages = names.map { page($0, in: context) }
        try context.save()
        return list
    }

    /// A new page, in no diary yet.
    private static func page(_ name: String, in context: ManagedObjectContext) -> Page {
        let page = Page(context: context)
        page.name = name
        return page
    }

    /// A new warden without diaries.
    private static func reader(_ name: String, in context: ManagedObjectContext) throws -> Warden {
        let reader = Warden(context: context)
        reader.name = name
        return reader
    }
}
