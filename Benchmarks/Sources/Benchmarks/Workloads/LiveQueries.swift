import Backstitch
import Foundation
import GRDB
import Harness
import Synchronization

/// Live queries: 1,000 lists on a screen, each with ten of 10,000 objects. All objects are changed elsewhere in 100
/// saves.
enum LiveQueries {
    static let benchmarks = [follow]

    final class Todo: ManagedObject {
        var list: Int {
            get { self["list"] }
            set { self["list"] = newValue }
        }
        var priority: Int {
            get { self["priority"] }
            set { self["priority"] = newValue }
        }
    }

    private static let model = ManagedObjectModel([
        EntityDescription(
            "Todo", class: Todo.self,
            [.attribute("list", .integer64, default: 0), .attribute("priority", .integer64, default: 0)])
    ])

    struct Record: FetchableRecord, PersistableRecord {
        static let databaseTableName = "task"
        static let table = "CREATE TABLE task (id INTEGER PRIMARY KEY, list INTEGER, priority INTEGER)"
        var id: Int, list: Int, priority: Int

        init(_ number: Int, lists: Int) { (id, list, priority) = (number, number % lists, 0) }
        init(row: Row) { (id, list, priority) = (row["id"], row["list"], row["priority"]) }
        func encode(to container: inout PersistenceContainer) {
            (container["id"], container["list"], container["priority"]) = (id, list, priority)
        }
    }

    /// Counts the changes reported to a list.
    private final class Ear: FetchedResultsControllerDelegate {
        var changes = 0
        func controllerDidChange(object: ResultDifference.ObjectChange) { changes += 1 }
    }

    private static let follow = Benchmark(
        name: "live", summary: "1,000 lists follow 10,000 changes in 100 saves", rounds: 1,
        warmsUp: false
    ) { stage in
        let lists = stage.rows(1_000), tasks = lists * 10, saves = 100
        let store = try stage.sqlite(model, "ours.sqlite")
        let writer = ManagedObjectContext(coordinator: store)
        for number in 0..<tasks { Todo(context: writer).list = number % lists }
        try writer.save()
        let pool = try stage.grdb("grdb.sqlite")
        try writeSync(pool) { database in
            try database.execute(sql: Record.table)
            for number in 0..<tasks { try Record(number, lists: lists).insert(database) }
        }
        return [
            .ours { stopwatch in
                let view = ManagedObjectContext(coordinator: store), ear = Ear()
                let controllers = try (0..<lists).map { list in
                    let controller = FetchedResultsController(
                        fetchRequest: try FetchRequest<Todo>(
                            where: "list == %@", list, sortedBy: [.ascending("priority")]), context: view)
                    controller.delegate = ear
                    try controller.performFetch()
                    return controller
                }
                let found = try writer.fetch(FetchRequest<Todo>())
                try stopwatch.measure {
                    for part in found.parts(saves) {
                        for task in part { task.priority += 1 }
                        try writer.save()
                        view.mergeChangesFromParent()
                        view.processPendingChanges()
                    }
                }
                try expect(ear.changes, tasks, "changes told")
                try withExtendedLifetime(controllers) {
                    try expect(controllers.allSatisfy { $0.fetchedObjects.count == 10 }, true, "lists of ten")
                }
            },
            .peer("GRDB ValueObservation") { stopwatch in
                let before = try readSync(pool) { try Int.fetchOne($0, sql: "SELECT MAX(priority) FROM task") } ?? 0
                let done = DispatchSemaphore(value: 0), waiting = Mutex(lists)
                let observers = (0..<lists).map { list in
                    ValueObservation.tracking { database in
                        try Record.filter(Column("list") == list).order(Column("priority")).fetchAll(database)
                    }.start(in: pool, scheduling: .async(onQueue: .global())) { _ in
                    } onChange: { records in
                        guard records.allSatisfy({ $0.priority == before + 1 }) else { return }
                        if waiting.withLock({
                            $0 -= 1; return $0
                        }) == 0 {
                            done.signal()
                        }
                    }
                }
                let found = try readSync(pool) { try Record.fetchAll($0) }
                try stopwatch.measure {
                    for part in found.parts(saves) {
                        try writeSync(pool) { database in
                            for var task in part {
                                task.priority += 1
                                try task.update(database)
                            }
                        }
                    }
                    done.wait()
                }
                for observer in observers { observer.cancel() }
            },
        ]
    }
}

extension Array {
    /// Returns `count` parts of about equal size.
    fileprivate func parts(_ count: Int) -> [ArraySlice<Element>] {
        (0..<count).map { self[$0 * self.count / count..<($0 + 1) * self.count / count] }
    }
}
