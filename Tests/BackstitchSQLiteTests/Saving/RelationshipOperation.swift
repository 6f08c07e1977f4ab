import Backstitch
import BackstitchTestKit
import Testing

/// An operation on a relationship between two objects of the model's `List` and `Row`.
struct RelationshipOperation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether the rows are linked before the operation.
    let isLinked: Bool
    let run: @Sendable (ManagedObject, [ManagedObject], String) throws -> Void

    init(
        _ name: String, isLinked: Bool = true,
        _ run: @escaping @Sendable (ManagedObject, [ManagedObject], String) throws -> Void
    ) {
        testDescription = name
        self.isLinked = isLinked
        self.run = run
    }
}

extension RelationshipOperation {
    /// Those of every to-many relationship.
    static let plain = [
        RelationshipOperation("add", isLinked: false) { list, rows, key in
            for row in rows { try list.add(row, to: key) }
        },
        RelationshipOperation("remove half") { list, rows, key in
            for row in rows.prefix(rows.count / 2) { try list.remove(row, from: key) }
        },
        RelationshipOperation("remove and add again") { list, rows, key in
            var random = SeededGenerator(seed: 7)
            for row in rows.shuffled(using: &random) {
                try list.remove(row, from: key)
                try list.add(row, to: key)
            }
        },
        RelationshipOperation("delete half, one by one, seen after each") { list, rows, key in
            for row in rows.prefix(rows.count / 2) {
                row.managedObjectContext?.delete(row)
                _ = row.managedObjectContext?.deletedObjects
            }
        },
        RelationshipOperation("delete all") { list, rows, key in
            guard let context = list.managedObjectContext else { return }
            for row in rows { context.delete(row) }
            context.delete(list)
            try context.save()
        },
        RelationshipOperation("save") { list, rows, key in try list.managedObjectContext?.save() },
        RelationshipOperation("roll back") { list, rows, key in list.managedObjectContext?.rollback() },
    ]

    /// Those of ordered ones only.
    static let ofOrders = [
        RelationshipOperation("set", isLinked: false) { list, rows, key in try list.setObjects(rows, forKey: key) },
        RelationshipOperation("reverse") { list, rows, key in try list.setObjects(rows.reversed(), forKey: key) },
        RelationshipOperation("shuffle and save") { list, rows, key in
            var random = SeededGenerator(seed: 7)
            try list.setObjects(rows.shuffled(using: &random), forKey: key)
            try list.managedObjectContext?.save()
        },
        RelationshipOperation("insert at the front", isLinked: false) { list, rows, key in
            for row in rows { try list.insert(row, into: key, at: 0) }
        },
        RelationshipOperation("insert at one place", isLinked: false) { list, rows, key in
            for (index, row) in rows.enumerated() { try list.insert(row, into: key, at: min(index, 3)) }
        },
        RelationshipOperation("insert in the middle", isLinked: false) { list, rows, key in
            for (index, row) in rows.enumerated() { try list.insert(row, into: key, at: index / 2) }
        },
        RelationshipOperation("move from the end to the front") { list, rows, key in
            for _ in rows { try list.moveObject(in: key, from: rows.count - 1, to: 0) }
        },
        RelationshipOperation("move anywhere") { list, rows, key in
            var random = SeededGenerator(seed: 7)
            for _ in rows {
                try list.moveObject(
                    in: key, from: .random(in: rows.indices, using: &random),
                    to: .random(in: rows.indices, using: &random))
            }
        },
        RelationshipOperation("replace each") { list, rows, key in
            guard let context = list.managedObjectContext else { return }
            for index in rows.indices {
                try list.replaceObject(in: key, at: index, with: context.insertObject(entityName: "Row"))
            }
        },
        RelationshipOperation("set to those of another list") { list, rows, key in
            guard let other = try list.managedObjectContext?.insertObject(entityName: "List") else { return }
            try other.setObjects(rows, forKey: key)
        },
    ]

    /// Whether what it works on was not saved before.
    var isUnsaved: Bool {
        ["save", "roll back", "delete half, one by one, seen after each"].contains(testDescription)
    }
}
