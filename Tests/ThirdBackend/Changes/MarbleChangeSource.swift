import BackstitchSQL
import BackstitchSupport
import Foundation
import Synchronization

/// Looks for others' changes at intervals. A database with notifications would wait for them here.
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
