import Backstitch
import Foundation

extension StoreConformance {
    /// Saves of hundreds of objects, with values of every type and with few of them changed.
    ///
    /// A backend must
    /// - write rows with different changed columns in one save, each with its own;
    /// - report in history exactly the changes of each object;
    /// - refuse the whole save when one identity of many exists already, and name it.
    ///
    /// A store fails if its path for many rows differs from its path for one. Examples are an array or a copy with
    /// other types, or a statement for many that reports a conflict without the object.
    static let manyObjectsCases = [
        ConformanceCase("history names each of many objects, with what changed of it", needs: .history) { bench in
            try await bench.container().perform { context in
                let coordinator = context.coordinator
                let start = try coordinator.currentHistoryToken()
                let entries = (0..<130).map { _ in Entry(context: context) }
                try context.save()
                for (index, entry) in entries.enumerated() {
                    entry.text = "text"
                    if index % 60 == 7 { entry.count = 1 }
                }
                try context.save()
                let all = Set(entries.map(\.objectID))
                let counted = Set(entries.indices.filter { $0 % 60 == 7 }.map { entries[$0].objectID })
                let transactions = try coordinator.history(after: start)
                try expectEqual(transactions.map(\.changes.count), [130, 130])
                try expectEqual(transactions.map { Set($0.changes.map(\.objectID)) }, [all, all])
                try expect(transactions[0].changes.allSatisfy { $0.kind == .insert && $0.updatedProperties.isEmpty })
                for change in transactions[1].changes {
                    let expected: Set<String> = counted.contains(change.objectID) ? ["text", "count"] : ["text"]
                    try expectEqual(change.kind, .update)
                    try expectEqual(change.updatedProperties, expected)
                }
            }
        },
        ConformanceCase("many new objects of every type are stored as they are; a taken identity keeps all of them out")
        { bench in
            let container = try bench.container()
            // Not every store takes text with a NUL, and large values are tested one by one.
            let values = ExtremeValues.all.map { $0.filter { $0.key != "string" && $0.key != "external" } } + [[:]]
            let ids = try await container.perform { context in
                let objects = try (0..<700).map { index in
                    let object = try context.insertObject(entityName: "AllTypes")
                    for (key, value) in values[index % values.count] { try object.setValue(value, forKey: key) }
                    object["string"] = (index % 3 == 0 ? nil : "text \(index)") as String?
                    return object
                }
                try context.save()
                return objects.map(\.objectID)
            }
            try await container.perform { context in
                for (index, id) in ids.enumerated() {
                    let object = try context.existingObject(with: id)
                    for (key, value) in values[index % values.count] {
                        try expectEqual(object.value(forKey: key), value)
                    }
                    try expectEqual(object["string"] as String?, index % 3 == 0 ? nil : "text \(index)")
                }
            }
            try await container.perform { context in
                context.coordinator.forgetRows()
                for _ in 0..<700 { _ = try context.insertObject(entityName: "AllTypes") }
                _ = try context.insertObject(with: ids[350])
                let error = try expectError(.saveConflict) { try context.save() }
                try expectEqual(error.objectID ?? error.faults.first?.objectID, ids[350])
                context.rollback()
                try expectEqual(context.count(for: FetchRequest<ManagedObject>(entityName: "AllTypes")), 700)
            }
        },
        ConformanceCase("unsaved values read as they were set, whatever was set before") { bench in
            try await bench.container().perform { context in
                let object = try context.insertObject(entityName: "AllTypes")
                for values in ExtremeValues.all + ExtremeValues.all.reversed() {
                    for (key, value) in values where key != "external" { try object.setValue(value, forKey: key) }
                    for (key, value) in values where key != "external" {
                        try expectEqual(object.value(forKey: key), value)
                        try expectEqual(object.changedValues[key], .value(value))
                    }
                }
                object["integer16"] = 40_000
                try expectError(.invalidValue) { try context.save() }
                try expectEqual(object["integer16"] as Int, Int(Int16.min), "a refused value changes nothing")
                object["double"] = 2
                object["integer64"] = nil as Int?
                try expectEqual(object.value(forKey: "integer64"), .null)
                object["string"] = "plain"
                try context.save()
                object["double"] = 2.0
                object["string"] = "plain"
                try expect(!object.hasChanges, "equal values are no change")
                object["double"] = 3.0
                object["boolean"] = nil as Bool?
                try expectEqual(object["double"] as Double, 3)
                try expectEqual(object["boolean"] as Bool?, nil)
                object["double"] = 2.0
                try expectEqual(Set(object.changedValues.keys), ["boolean"])
            }
        },
    ]
}
