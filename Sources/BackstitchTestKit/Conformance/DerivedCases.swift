import Backstitch
import Foundation

extension StoreConformance {
    /// Attributes that the store computes: copies through a to-one, folded text, counts, sums, and the time of writing.
    ///
    /// A backend must
    /// - compute them in the transaction that changes their sources, for a save, a batch request and a link alike;
    /// - count exactly when many write at once;
    /// - sum decimals as decimals;
    /// - raise no version of an object whose value changed by a save of another object;
    /// - compute them for all rows when a new model adds them.
    ///
    /// A store fails when it computes in the saving process: of two simultaneous additions to a count, one is lost.
    static let derivedCases = [
        derived("an attribute derived from the object's own is computed whenever that is saved") { context in
            let entry = Entry(context: context)
            entry.heading = "Élan VITAL"
            try context.save()
            try expectEqual(entry.search, "elan vital")
            try expectEqual(entry.small, "élan vital")
            try expect(!entry.hasChanges)
            entry.heading = nil
            try context.save()
            try expectEqual(entry.search, nil)
        },
        derived("a copy through a to-one follows the link, its target's value, and its deletion") { context in
            let entry = Entry(context: context), home = place("Café", in: context), away = place("Away", in: context)
            entry.location = home
            try context.save()
            try expectEqual([entry.placeName, entry.capitals], ["Café", "CAFÉ"])
            home.name = "New"
            try context.save()
            try expectEqual(try fresh(entry, context).placeName, "New")
            context.refresh(entry, mergeChanges: false)
            try expectEqual([entry.placeName, entry.capitals], ["New", "NEW"])
            entry.location = away
            try context.save()
            try expectEqual(entry.placeName, "Away")
            context.delete(away)
            try context.save()
            try expectEqual(entry.placeName, nil)
        },
        derived("counts and sums over a to-many follow what comes, moves, changes and goes") { context in
            let one = place("one", in: context), two = place("two", in: context)
            try context.save()
            try expectEqual(one.entryCount, 0)
            try expectEqual(one.worth, 0)
            let entries = (1...3).map { number in
                let entry = Entry(context: context)
                entry.pages = number * 100
                entry.price = Decimal(number) / 10
                entry.weight = Double(number) / 2
                entry.location = one
                return entry
            }
            entries[2].price = nil
            try context.save()
            try expectEqual(try numbers(one, context), Numbers(3, 600, Decimal(string: "0.3") ?? 0, 3))
            entries[0].location = two
            entries[1].pages = 250
            try context.save()
            try expectEqual(try numbers(one, context), Numbers(2, 550, Decimal(string: "0.2") ?? 0, 2.5))
            try expectEqual(try numbers(two, context), Numbers(1, 100, Decimal(string: "0.1") ?? 0, 0.5))
            for entry in entries { context.delete(entry) }
            try context.save()
            try expectEqual(try numbers(one, context), Numbers(0, 0, 0, 0))
        },
        derived("counts and sums over a many-to-many follow links from either end, and deletions") { context in
            let entries = (1...2).map { _ in Entry(context: context) },
                tags = (1...2).map { _ in Tag(context: context) }
            for entry in entries { entry.pages = 10 }
            entries[0].tags = Set(tags)
            try context.save()
            try expectEqual(try fresh(entries[0], context).tagCount, 2)
            try expectEqual(try fresh(tags[1], context).pages, 10)
            tags[1].entries = [entries[1], entries[0]]
            entries[1].pages = 7
            try context.save()
            try expectEqual(try fresh(tags[1], context).pages, 17)
            context.delete(tags[0])
            try context.save()
            try expectEqual(try fresh(entries[0], context).tagCount, 1)
            context.delete(entries[0])
            try context.save()
            try expectEqual(try fresh(tags[1], context).pages, 7)
        },
        derived("batch requests count as saves do") { context in
            let one = place("one", in: context)
            for _ in 0..<3 { Entry(context: context).location = one }
            try context.save()
            try context.execute(BatchUpdateRequest(entityName: "Entry", set: ["pages": 5, "heading": "ÄB"]))
            try expectEqual(try fresh(one, context).pages, 15)
            try expectEqual(try context.count(for: FetchRequest<Entry>(where: "search == 'ab'")), 3)
            try context.execute(BatchUpdateRequest(entityName: "Location", set: ["name": "renamed"]))
            try expectEqual(try context.count(for: FetchRequest<Entry>(where: "placeName == 'renamed'")), 3)
            let entries = try context.fetch(FetchRequest<Entry>())
            try context.execute(BatchDeleteRequest(objectIDs: entries.prefix(2).map(\.objectID)))
            try expectEqual(try fresh(one, context).entryCount, 1)
        },
        derived("a derived attribute is fetched and sorted by like others") { context in
            for (name, count) in [("a", 1), ("b", 3), ("c", 2)] {
                let place = place(name, in: context)
                for _ in 0..<count { Entry(context: context).location = place }
            }
            try context.save()
            let found = try context.fetch(
                FetchRequest<Location>(where: "entryCount > 1", sortedBy: [.descending("entryCount")]))
            try expectEqual(found.map(\.name), ["b", "c"])
        },
        derived("a derived attribute cannot be set") { context in
            let place = place("one", in: context)
            let error = try expectError(.invalidRequest) { try place.setValue(7, forKey: "entryCount") }
            try expectEqual(error.key, "entryCount")
            try expect(error.message.contains("entries.@count"))
            try expectError(.invalidRequest) {
                try context.execute(BatchUpdateRequest(entityName: "Location", set: ["entryCount": 7]))
            }
            try context.save()
            try expectEqual(place.entryCount, 0)
        },
        derived("the time of writing is the database's, and moves with each save of the object") { context in
            let entry = Entry(context: context), other = Entry(context: context)
            try context.save()
            guard let first = entry.changed else { return try expect(false, "no time") }
            try expect(abs(first.timeIntervalSinceNow) < 60, "\(first)")
            let before = try fresh(other, context).changed
            entry.heading = "later"
            try context.save()
            guard let second = entry.changed else { return try expect(false, "no time") }
            try expect(second >= first)
            try expectEqual(try fresh(other, context).changed, before)
        },
        derived("a value that the store computed is no conflict for whoever edits the object") { context in
            let one = place("one", in: context)
            try context.save()
            let other = ManagedObjectContext(coordinator: context.coordinator)
            let theirs = try other.existingObject(with: one.objectID) as? Location
            try expectEqual(theirs?.entryCount, 0)
            Entry(context: context).location = one
            try context.save()
            theirs?.name = "theirs"
            try other.save()
            try expectEqual(theirs?.entryCount, 1)
            context.mergePolicy = .overwrite
            one.name = "mine"
            Entry(context: other).location = theirs
            try other.save()
            try context.save()
            try expectEqual(try fresh(one, context).entryCount, 2)
        },
        ConformanceCase("a count is exact when eight writers add at once", needs: .derivedAttributes) { bench in
            let container = try bench.container(.derived)
            let id = try await container.perform { context in
                let place = place("one", in: context)
                try context.save()
                return place.objectID
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await container.perform { context in
                            for _ in 0..<10 {
                                Entry(context: context).location = try context.object(with: id) as? Location
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try await container.perform { try ($0.existingObject(with: id) as? Location)?.entryCount }
            try expectEqual(count, 80)
        },
        ConformanceCase(
            "derived attributes that a new model adds are computed for what is stored, and may go again",
            needs: .derivedAttributes
        ) { bench in
            guard bench.store.isDurable else { return }
            let plain = try bench.container(.measured)
            try await plain.perform { context in
                Entry(context: context).location = place("one", in: context)
                try context.save()
            }
            let derived = try bench.reopen(plain, .derived)
            try await derived.perform { context in
                guard let place = try context.fetch(FetchRequest<Location>()).first else { return try expect(false) }
                try expectEqual(place.entryCount, 1)
                try expectEqual(place.entries.first?.placeName, "one")
                Entry(context: context).location = place
                try context.save()
                try expectEqual(try fresh(place, context).entryCount, 2)
            }
            try derived.close()
        },
    ]

    /// All counts and sums over a place's entries.
    private struct Numbers: Equatable {
        let count: Int, pages: Int, worth: Decimal, weight: Double

        init(_ count: Int, _ pages: Int, _ worth: Decimal, _ weight: Double) {
            (self.count, self.pages, self.worth, self.weight) = (count, pages, worth, weight)
        }
    }

    /// The stored numbers of a place, read in a new context.
    private static func numbers(_ place: Location, _ context: ManagedObjectContext) throws -> Numbers {
        let place = try fresh(place, context)
        return Numbers(place.entryCount, place.pages, place.worth, place.weight)
    }

    /// A case on the journal with derived attributes.
    private static func derived(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: .derivedAttributes) { try await $0.container(.derived).perform(body) }
    }

    /// A new place of this name, with no entries.
    private static func place(_ name: String, in context: ManagedObjectContext) -> Location {
        let place = Location(context: context)
        place.name = name
        return place
    }
}
