import BackstitchSQL
import BackstitchSupport
import Foundation
import Synchronization

/// Looks for others' changes every so often: a database that tells of them would wait for its word here.
final class MarbleChangeSource: ChangeSource {
    private static let interval = 0.05

    private let database: MarbleDatabase
    private let condition = NSCondition()
    private let isWoken = Atomic(false)

    init(_ database: MarbleDatabase) { self.database = database }

    func wait() {
        let limit = Date(timeIntervalSinceNow: Self.interval)
        condition.withLock {
            while !isWoken.load(ordering: .relaxed), condition.wait(until: limit) {}
            isWoken.store(false, ordering: .relaxed)
        }
    }

    func wake() {
        condition.withLock {
            isWoken.store(true, ordering: .relaxed)
            condition.broadcast()
        }
    }

    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        try database.readOnce { try body($0) }
    }

    func note(_ error: any Error) { print("Marble: others' changes cannot be read: \(error)") }
}
