import Backstitch
import Foundation

extension StoreConformance {
    /// Unique constraints, with one key and with several, settled by each merge policy.
    ///
    /// A backend must
    /// - compare the values of a save with each other and with the stored ones, after all of its writes. Two objects
    ///   may exchange values in one save, and one may take a value that another gives up, for any key of a constraint;
    /// - leave objects alone that have nil in one of the keys;
    /// - throw ``BackstitchError/Code/constraint`` with a ``ConstraintConflict`` for every collision: both objects,
    ///   keys and values, and whether the other is stored;
    /// - let no two savers on different connections store one value.
    ///
    /// A store fails when its index refuses the first row of an exchange. It also fails when it reports only the
    /// database's message for a collision, so that no policy can settle it.
    static let constraintCases =
        MergePolicy.allCases.map { policy in
            unique("a new object with a stored one's unique value is settled by the policy \(policy)") { context in
                try insertDuplicate(policy, in: context)
            }
        }
        + MergePolicy.allCases.map { policy in
            unique("a change to a stored object's unique value is settled by the policy \(policy)") { context in
                try changeToDuplicate(policy, in: context)
            }
        }
        + MergePolicy.allCases.map { policy in
            unique("two new objects with one unique value are settled by the policy \(policy)") { context in
                try insertTwins(policy, in: context)
            }
        } + singleConstraintCases

    private static let singleConstraintCases = [
        unique("objects without a unique value do not collide") { context in
            for _ in 0..<3 { _ = Entry(context: context) }
            let place = Location(context: context)
            for _ in 0..<2 { Entry(context: context).location = place }
            Entry(context: context).heading = "Ann"
            Entry(context: context).heading = "Ann"
            try context.save()
            try expectEqual(try count("parent == nil", context), 7)
        },
        unique("a constraint of several keys counts them together, to-ones among them") { context in
            let red = Location(context: context), blue = Location(context: context)
            for place in [red, blue] {
                let entry = Entry(context: context)
                entry.heading = "Ann"
                entry.location = place
            }
            try context.save()
            let second = Entry(context: context)
            second.heading = "Ann"
            second.location = red
            let error = try expectError(.constraint) { try context.save() }
            let conflict = error.constraintConflict
            try expectEqual(conflict?.keys, ["location", "heading"])
            try expectEqual(conflict?.values, [.object(red.objectID), "Ann"])
            try expectEqual(conflict?.objectID, second.objectID)
        },
        unique("objects may change places in one save, and take what a deleted one leaves") { context in
            let ann = entry("ann", in: context), ben = entry("ben", in: context), cem = entry("cem", in: context)
            try context.save()
            (ann.slug, ben.slug, cem.slug) = ("ben", "cem", "ann")
            try context.save()
            try expectEqual(try slugs(context), ["ann", "ben", "cem"])
            context.delete(ann)
            cem.slug = "ben"
            _ = entry("ann", in: context)
            try context.save()
            try expectEqual(try slugs(context), ["ann", "ben", "cem"])
        },
        unique("objects may exchange one of several keys of a constraint, and keep the others") { context in
            let place = Location(context: context)
            let ann = Entry(context: context), ben = Entry(context: context)
            for (entry, heading) in [(ann, "Ann"), (ben, "Ben")] {
                entry.heading = heading
                entry.location = place
            }
            try context.save()
            (ann.heading, ben.heading) = ("Ben", "Ann")
            try context.save()
            for (entry, heading) in [(ann, "Ben"), (ben, "Ann")] {
                let stored = try fresh(entry, context)
                try expectEqual(stored.heading, heading)
                try expectEqual(stored.location?.objectID, place.objectID)
            }
        },
        unique("every collision of a save is a fault that names both objects, key and value") { context in
            let stored = entry("ann", in: context)
            try context.save()
            let first = entry("ann", in: context), second = entry("ben", in: context)
            let third = entry("ben", in: context)
            let error = try expectError(.constraint) { try context.save() }
            let conflicts = error.faults.compactMap(\.constraintConflict)
            try expectEqual(Set(conflicts.map(\.objectID)), [first.objectID, third.objectID])
            try expectEqual(Set(conflicts.map(\.otherObjectID)), [stored.objectID, second.objectID])
            try expectEqual(conflicts.map(\.isOtherStored).filter { $0 }.count, 1)
            for text in ["slug", "\"ann\"", "\"ben\"", "\(stored.objectID)"] {
                try expect(error.description.contains(text), "\(text) in \(error)")
            }
            try expect(context.hasChanges)
            third.slug = "cem"
            first.slug = nil
            try context.save()
            try expectEqual(try slugs(context), [nil, "ann", "ben", "cem"])
        },
        unique("an object that was to yield to another has its links again after a rollback") { context in
            let ann = entry("ann", in: context), ben = entry("ben", in: context)
            let place = Location(context: context), other = Location(context: context)
            ann.location = place
            try context.save()
            let others = ManagedObjectContext(coordinator: context.coordinator)
            (try others.existingObject(with: other.objectID) as? Location)?.name = "theirs"
            try others.save()
            // The store notices the other place's change once it is settled which entry yields.
            context.automaticallyMergesChangesFromParent = false
            context.mergePolicy = .mergeByPropertyObjectTrump
            context.entityMergePolicies = ["Location": .error]
            other.name = "mine"
            ben.slug = "ann"
            try expectError(.saveConflict) { try context.save() }
            try expect(ann.isDeleted && ben.location === place)
            context.rollback()
            try expect(!ann.hasChanges && ann.location === place && ben.location == nil)
            ann.mood = "calm"
            try context.save()
            try expectEqual(try fresh(ann, context).location?.objectID, place.objectID)
        },
        ConformanceCase("eight writers that add the same value leave one object", needs: .uniqueConstraints) { bench in
            let container = try bench.container(.unique)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await container.perform { context in
                            context.mergePolicy = .mergeByPropertyObjectTrump
                            for number in 0..<10 {
                                let reply = Entry(context: context)
                                reply.parent = entry("m\(number)", in: context)
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await container.perform { context in
                try expectEqual(try count("slug != nil", context), 10)
                let replies = try context.fetch(FetchRequest<Entry>(where: "slug == nil"))
                try expectEqual(replies.count, 80)
                try expect(replies.allSatisfy { $0.parent != nil }, "a reply lost its entry")
            }
        },
    ]

    /// A case on the journal with unique constraints.
    private static func unique(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: .uniqueConstraints) { bench in
            try await bench.container(.unique).perform(body)
        }
    }

    /// A new entry with this slug. Slugs are unique.
    private static func entry(_ slug: String?, in context: ManagedObjectContext) -> Entry {
        let entry = Entry(context: context)
        entry.slug = slug
        return entry
    }

    /// The number of stored entries that match a predicate.
    private static func count(_ format: String, _ context: ManagedObjectContext) throws -> Int {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        return try other.count(for: FetchRequest<Entry>(where: format))
    }

    /// The slugs of the stored entries without a parent, nil first.
    private static func slugs(_ context: ManagedObjectContext) throws -> [String?] {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        return try other.fetch(FetchRequest<Entry>(where: "parent == nil", sortedBy: [.ascending("slug")])).map(\.slug)
    }

    /// A stored Ann with count 30 and a reply. A new Ann with count 20, a mood, a reply, a tag, a cover and a place.
    private static func insertDuplicate(_ policy: MergePolicy, in context: ManagedObjectContext) throws {
        let stored = entry("ann", in: context)
        stored.count = 30
        stored.replies = [Entry(context: context)]
        try context.save()
        let new = entry("ann", in: context)
        new.count = 20
        new.mood = "calm"
        new.replies = [Entry(context: context)]
        new.tags = [Tag(context: context)]
        new.cover = Cover(context: context)
        new.location = Location(context: context)
        context.mergePolicy = policy
        if policy == .error {
            let error = try expectError(.constraint) { try context.save() }
            try expectEqual(error.constraintConflict?.otherObjectID, stored.objectID)
            try expectEqual(error.constraintConflict?.isOtherStored, true)
            try expectEqual(try count("parent == nil", context), 1)
            return
        }
        try context.save()
        try expect(new.managedObjectContext == nil)
        try expect(!context.hasChanges)
        let isMine = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        for found in [stored, try fresh(stored, context)] {
            try expectEqual(found.count, isMine ? 20 : 30)
            try expectEqual(found.mood, policy == .rollback ? nil : "calm")
            try expectEqual(found.replies.count, 2)
            try expectEqual(found.tags.count, 1)
            try expect(found.cover != nil && found.location != nil, "the new object's cover and place are lost")
        }
        try expectEqual(try count("parent == nil", context), 1)
        let covers = ManagedObjectContext(coordinator: context.coordinator)
        try expectEqual(try covers.count(for: FetchRequest<Cover>()), 1)
    }

    /// Stored Ann and Ben, each with a reply. Ben takes Ann's slug.
    private static func changeToDuplicate(_ policy: MergePolicy, in context: ManagedObjectContext) throws {
        let ann = entry("ann", in: context), ben = entry("ben", in: context)
        for each in [ann, ben] { each.replies = [Entry(context: context)] }
        try context.save()
        ben.slug = "ann"
        ben.count = 7
        context.mergePolicy = policy
        if policy == .error {
            let error = try expectError(.constraint) { try context.save() }
            try expectEqual(error.constraintConflict?.objectID, ben.objectID)
            return
        }
        try context.save()
        let isMine = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        try expectEqual(try slugs(context), isMine ? ["ann"] : ["ann", "ben"])
        try expectEqual(ann.managedObjectContext == nil, isMine)
        let found = try fresh(ben, context)
        try expectEqual(found.count, 7)
        try expectEqual(found.replies.count, isMine ? 2 : 1)
        try expectEqual(try count("parent != nil", context), 2)
    }

    /// Two new Anns in one save, the second with a mood and a reply.
    private static func insertTwins(_ policy: MergePolicy, in context: ManagedObjectContext) throws {
        let first = entry("ann", in: context), second = entry("ann", in: context)
        first.count = 1
        second.count = 2
        second.mood = "calm"
        second.replies = [Entry(context: context)]
        context.mergePolicy = policy
        if policy == .error {
            let error = try expectError(.constraint) { try context.save() }
            try expectEqual(error.constraintConflict?.isOtherStored, false)
            try expectEqual(try count("parent == nil", context), 0)
            return
        }
        try context.save()
        let isMine = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        let found = try fresh(first, context)
        try expectEqual(found.count, isMine ? 2 : 1)
        try expectEqual(found.mood, policy == .rollback ? nil : "calm")
        try expectEqual(found.replies.count, 1)
        try expectEqual(try count("parent == nil", context), 1)
    }
}
