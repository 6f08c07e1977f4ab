import Backstitch
import Foundation

extension StoreConformance {
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
            for _ in 0..<3 { _ = Member(context: context) }
            let team = Team(context: context)
            for _ in 0..<2 { Member(context: context).team = team }
            Member(context: context).nickname = "Ann"
            Member(context: context).nickname = "Ann"
            try context.save()
            try expectEqual(try count(Member.self, context), 7)
        },
        unique("a constraint of several keys counts them together, to-ones among them") { context in
            let red = Team(context: context), blue = Team(context: context)
            for team in [red, blue] {
                let member = Member(context: context)
                member.nickname = "Ann"
                member.team = team
            }
            try context.save()
            let second = Member(context: context)
            second.nickname = "Ann"
            second.team = red
            let error = try expectError(.constraint) { try context.save() }
            let conflict = error.constraintConflict
            try expectEqual(conflict?.keys, ["team", "nickname"])
            try expectEqual(conflict?.values, [.object(red.objectID), "Ann"])
            try expectEqual(conflict?.objectID, second.objectID)
        },
        unique("objects may change places in one save, and take what a deleted one leaves") { context in
            let ann = member("ann", in: context), ben = member("ben", in: context), cem = member("cem", in: context)
            try context.save()
            (ann.email, ben.email, cem.email) = ("ben", "cem", "ann")
            try context.save()
            try expectEqual(try emails(context), ["ann", "ben", "cem"])
            context.delete(ann)
            cem.email = "ben"
            _ = member("ann", in: context)
            try context.save()
            try expectEqual(try emails(context), ["ann", "ben", "cem"])
        },
        unique("every collision of a save is a fault that names both objects, key and value") { context in
            let stored = member("ann", in: context)
            try context.save()
            let first = member("ann", in: context), second = member("ben", in: context)
            let third = member("ben", in: context)
            let error = try expectError(.constraint) { try context.save() }
            let conflicts = error.faults.compactMap(\.constraintConflict)
            try expectEqual(Set(conflicts.map(\.objectID)), [first.objectID, third.objectID])
            try expectEqual(Set(conflicts.map(\.otherObjectID)), [stored.objectID, second.objectID])
            try expectEqual(conflicts.map(\.isOtherStored).filter { $0 }.count, 1)
            for text in ["email", "\"ann\"", "\"ben\"", "\(stored.objectID)"] {
                try expect(error.description.contains(text), "\(text) in \(error)")
            }
            try expect(context.hasChanges)
            third.email = "cem"
            first.email = nil
            try context.save()
            try expectEqual(try emails(context), [nil, "ann", "ben", "cem"])
        },
        ConformanceCase("eight writers that add the same value leave one object", needs: .uniqueConstraints) { bench in
            let container = try bench.container(.roster)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await container.perform { context in
                            context.mergePolicy = .mergeByPropertyObjectTrump
                            for number in 0..<10 {
                                let task = MemberTask(context: context)
                                task.member = member("m\(number)", in: context)
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await container.perform { context in
                try expectEqual(try count(Member.self, context), 10)
                let tasks = try context.fetch(FetchRequest<MemberTask>())
                try expectEqual(tasks.count, 80)
                try expect(tasks.allSatisfy { $0.member != nil }, "a task lost its member")
            }
        },
    ]

    private static func unique(
        _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: .uniqueConstraints) { bench in
            try await bench.container(.roster).perform(body)
        }
    }

    private static func member(_ email: String?, in context: ManagedObjectContext) -> Member {
        let member = Member(context: context)
        member.email = email
        return member
    }

    private static func count<Object: ManagedObject>(_ type: Object.Type, _ context: ManagedObjectContext) throws -> Int
    {
        try ManagedObjectContext(coordinator: context.coordinator).count(for: FetchRequest<Object>())
    }

    private static func emails(_ context: ManagedObjectContext) throws -> [String?] {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        return try other.fetch(FetchRequest<Member>(sortedBy: [.ascending("email")])).map(\.email)
    }

    /// A stored Ann, aged 30, with a task; a new one from Rome, aged 20, with a task, a skill, a desk and a team.
    private static func insertDuplicate(_ policy: MergePolicy, in context: ManagedObjectContext) throws {
        let stored = member("ann", in: context)
        stored.age = 30
        stored.tasks = [MemberTask(context: context)]
        try context.save()
        let new = member("ann", in: context)
        new.age = 20
        new.city = "Rome"
        new.tasks = [MemberTask(context: context)]
        new.skills = [Skill(context: context)]
        new.desk = Desk(context: context)
        new.team = Team(context: context)
        context.mergePolicy = policy
        if policy == .error {
            let error = try expectError(.constraint) { try context.save() }
            try expectEqual(error.constraintConflict?.otherObjectID, stored.objectID)
            try expectEqual(error.constraintConflict?.isOtherStored, true)
            try expectEqual(try count(Member.self, context), 1)
            return
        }
        try context.save()
        try expect(new.managedObjectContext == nil)
        try expect(!context.hasChanges)
        let isMine = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        for found in [stored, try fresh(stored, context)] {
            try expectEqual(found.age, isMine ? 20 : 30)
            try expectEqual(found.city, policy == .rollback ? nil : "Rome")
            try expectEqual(found.tasks.count, 2)
            try expectEqual(found.skills.count, 1)
            try expect(found.desk != nil && found.team != nil, "the new object's desk and team are lost")
        }
        try expectEqual(try count(Member.self, context), 1)
        try expectEqual(try count(Desk.self, context), 1)
    }

    /// Stored Ann and Ben, each with a task; Ben takes Ann's address.
    private static func changeToDuplicate(_ policy: MergePolicy, in context: ManagedObjectContext) throws {
        let ann = member("ann", in: context), ben = member("ben", in: context)
        for each in [ann, ben] { each.tasks = [MemberTask(context: context)] }
        try context.save()
        ben.email = "ann"
        ben.age = 7
        context.mergePolicy = policy
        if policy == .error {
            let error = try expectError(.constraint) { try context.save() }
            try expectEqual(error.constraintConflict?.objectID, ben.objectID)
            return
        }
        try context.save()
        let isMine = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        try expectEqual(try emails(context), isMine ? ["ann"] : ["ann", "ben"])
        try expectEqual(ann.managedObjectContext == nil, isMine)
        let found = try fresh(ben, context)
        try expectEqual(found.age, 7)
        try expectEqual(found.tasks.count, isMine ? 2 : 1)
        try expectEqual(try count(MemberTask.self, context), 2)
    }

    /// Two new Anns in one save, the second from Rome.
    private static func insertTwins(_ policy: MergePolicy, in context: ManagedObjectContext) throws {
        let first = member("ann", in: context), second = member("ann", in: context)
        first.age = 1
        second.age = 2
        second.city = "Rome"
        second.tasks = [MemberTask(context: context)]
        context.mergePolicy = policy
        if policy == .error {
            let error = try expectError(.constraint) { try context.save() }
            try expectEqual(error.constraintConflict?.isOtherStored, false)
            try expectEqual(try count(Member.self, context), 0)
            return
        }
        try context.save()
        let isMine = policy == .mergeByPropertyObjectTrump || policy == .overwrite
        let found = try fresh(first, context)
        try expectEqual(found.age, isMine ? 2 : 1)
        try expectEqual(found.city, policy == .rollback ? nil : "Rome")
        try expectEqual(found.tasks.count, 1)
        try expectEqual(try count(Member.self, context), 1)
    }

    private static func fresh(_ member: Member, _ context: ManagedObjectContext) throws -> Member {
        let other = ManagedObjectContext(coordinator: context.coordinator)
        guard let found = try other.existingObject(with: member.objectID) as? Member else {
            throw ConformanceFailure(description: "\(member.objectID) is of another class")
        }
        return found
    }
}
