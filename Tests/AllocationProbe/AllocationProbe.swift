import Backstitch
import BackstitchSQLite
import CAllocations
import Foundation

/// Counts the memory allocations of each row of a workload. It compares a large run with a small one, so that one-time
/// work does not count.
///
/// `AllocationProbe FOLDER` prints a line for each workload: its name, and the allocations of a row.
@main
struct AllocationProbe {
    static func main() throws {
        guard let folder = CommandLine.arguments.dropFirst().first, allocations_are_counted() == 1 else {
            throw BackstitchError(.invalidRequest, "usage: AllocationProbe FOLDER, where allocations can be counted")
        }
        for workload in Workload.allCases {
            let rows = (small: 500, large: 2_500)
            var perRow: [Double] = []
            for turn in 0..<3 {
                let few = try count(workload, rows.small, "\(folder)/\(workload)\(turn)-few.sqlite")
                let many = try count(workload, rows.large, "\(folder)/\(workload)\(turn)-many.sqlite")
                perRow.append(Double(many - few) / Double(rows.large - rows.small))
            }
            // The work of other threads meanwhile only adds to it.
            print("\(workload) \(String(format: "%.2f", perRow.min() ?? 0))")
        }
    }

    /// The allocations of a workload on this many rows in a new store.
    private static func count(_ workload: Workload, _ rows: Int, _ path: String) throws -> Int {
        let store = try PersistentStoreCoordinator(
            model: Item.model,
            store: PersistentStoreDescription(
                type: .sqlite, url: URL(fileURLWithPath: path), options: [.sqliteFollowsOtherProcesses: false]))
        let run = try workload.prepare(rows, store)
        let before = allocations_so_far()
        try run()
        let after = allocations_so_far()
        for store in store.stores { try store.close() }
        return Int(after - before)
    }
}
