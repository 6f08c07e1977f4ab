import Backstitch
import Foundation

extension StoreConformance {
    /// Stores write and note many objects in other ways than few.
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
        }
    ]
}
