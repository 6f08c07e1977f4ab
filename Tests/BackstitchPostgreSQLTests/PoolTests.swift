import Backstitch
import BackstitchSQL
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchPostgreSQL

@Suite("the pool of connections")
struct PoolTests {
    @Test("many requests at once share as many connections as the pool may have, and no more")
    func bounded() async throws {
        let name = "pool-\(UUID().uuidString.prefix(8))"
        try await onThread {
            let store = try TestDatabase.store(
                options: [.postgresPoolSize: 3, .postgresPollInterval: 0, .postgresApplicationName: name])
            let left = Locked(24), most = Locked(0)
            let threads = (0..<12).map { _ in
                Thread {
                    while left.withLock({ count in
                        count -= 1; return count >= 0
                    }) {
                        let open = try? store.texts(
                            "SELECT count(*)::text FROM pg_stat_activity, pg_sleep(0.02) WHERE application_name = '\(name)'"
                        )
                        most.withLock { $0 = max($0, open?.first.flatMap { Int($0) } ?? 99) }
                    }
                }
            }
            for thread in threads { thread.start() }
            while threads.contains(where: { !$0.isFinished }) { Thread.sleep(forTimeInterval: 0.01) }
            #expect(most.withLock { $0 } == 3)
            #expect(store.database.pool.counts == (3, 3))
            try store.close()
            #expect(store.database.pool.counts == (0, 0))
        }
    }

    @Test(
        "as many closures of a container run at once as the pool may have connections, or as the option says",
        arguments: [
            ([.postgresPoolSize: 3], 3), ([.postgresPoolSize: 20], 20),
            ([.postgresPoolSize: 3, .maximumConcurrency: 5], 5),
        ] as [([StoreOption: any Sendable], Int)])
    func closures(options: [StoreOption: any Sendable], count: Int) async throws {
        let container = try TestDatabase.container(options: options)
        let meeting = Meeting(count)
        await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 * count {
                group.addTask {
                    try await container.perform { context in
                        _ = try context.count(for: FetchRequest<ManagedObject>(entityName: "Entry"))
                        meeting.attend()
                    }
                }
            }
        }
        #expect(meeting.isComplete)
        #expect(meeting.most == count)
        try container.close()
    }

    @Test("a connection that waits for a transaction's end does so only as long as the option says")
    func timeout() async throws {
        try await onThread {
            let store = try TestDatabase.store(
                options: [.postgresPoolSize: 2, .postgresPoolTimeout: 0.3, .postgresPollInterval: 0])
            try store.database.pool.withConnection { _ in
                try store.database.pool.withConnection { _ in
                    let start = ContinuousClock.now
                    let error = #expect(throws: BackstitchError.self) { try store.texts("SELECT 'a'") }
                    #expect(error?.message.contains("postgresPoolTimeout") == true)
                    #expect(start.duration(to: .now) >= .milliseconds(290))
                }
            }
            #expect(try store.texts("SELECT 'a'") == ["a"])
            try store.close()
        }
    }

    @Test("requests that wait get a connection in their order, before the one that gives it back and asks again")
    func order() async throws {
        try await onThread {
            let store = try TestDatabase.store(options: [.postgresPoolSize: 1, .postgresPollInterval: 0])
            let pool = store.database.pool
            let served = Locked<[Int]>([])
            var threads: [Thread] = []
            try pool.withConnection { _ in
                for number in 1...4 {
                    let thread = Thread {
                        // The time of one that fails is over long after the test.
                        try? pool.withConnection { _ in served.withLock { $0.append(number) } }
                    }
                    threads.append(thread)
                    thread.start()
                    while pool.waiterCount < number { Thread.sleep(forTimeInterval: 0.001) }
                }
            }
            try pool.withConnection { _ in served.withLock { $0.append(0) } }
            while threads.contains(where: { !$0.isFinished }) { Thread.sleep(forTimeInterval: 0.001) }
            #expect(served.withLock { $0 } == [1, 2, 3, 4, 0])
            #expect(pool.counts == (1, 1) && pool.waiterCount == 0)
            try store.close()
        }
    }

    @Test("a request that waits when the pool is closed is told so at once")
    func closedWhileWaiting() async throws {
        try await onThread {
            let store = try TestDatabase.store(options: [.postgresPoolSize: 1, .postgresPollInterval: 0])
            let pool = store.database.pool
            let error = Locked<BackstitchError?>(nil)
            let waiting = Thread {
                do { try pool.withConnection { _ in } } catch let failure {
                    error.withLock { $0 = failure as? BackstitchError }
                }
            }
            let closing = Thread { pool.close() }
            try pool.withConnection { _ in
                waiting.start()
                while pool.waiterCount < 1 { Thread.sleep(forTimeInterval: 0.001) }
                closing.start()
                while !waiting.isFinished { Thread.sleep(forTimeInterval: 0.001) }
            }
            while !closing.isFinished { Thread.sleep(forTimeInterval: 0.001) }
            #expect(error.withLock { $0 }?.code == .storeClosed)
            #expect(pool.counts == (0, 0))
            try store.close()
        }
    }

    @Test("a connection that broke is used no more, whatever was queued on it")
    func broken() async throws {
        try await onThread {
            let store = try TestDatabase.store(options: [.postgresPollInterval: 0])
            for isQueued in [true, false] {
                let connection = try store.database.pool.makeConnection()
                if isQueued { try connection.begin(.writing) }
                connection.link.close()
                connection.rollback()
                #expect(!connection.isReusable)
                for _ in 0..<2 {
                    #expect(throws: PostgreSQLFailure.self) { try connection.begin(.writing) }
                    #expect(throws: PostgreSQLFailure.self) {
                        try connection.query(SQLStatement(.postgreSQL, "SELECT 1"))
                    }
                }
            }
            try store.close()
        }
    }

    @Test("a state of the store is kept for as long as somebody has it, however long nothing of it is read")
    func idleSnapshot() async throws {
        try await onThread {
            let store = try TestDatabase.store(options: [.postgresPollInterval: 0])
            let snapshot = try #require(try store.beginSnapshot())
            let setting = SQLStatement(
                .postgreSQL, "SELECT current_setting('idle_in_transaction_session_timeout')")
            var limit = ""
            try snapshot.read { try $0.forEachRow(of: setting) { limit = $0.text(0) } }
            #expect(limit == "0")
            snapshot.close()
            #expect(try store.texts("SELECT current_setting('idle_in_transaction_session_timeout')") == ["5min"])
            try store.close()
        }
    }

    @Test("a request is told its own error, not that of an earlier one on the same connection")
    func ownErrors() async throws {
        try await onThread {
            let store = try TestDatabase.store(options: [.postgresPoolSize: 1, .postgresPollInterval: 0])
            let insertion = SQLStatement(
                .postgreSQL, "INSERT INTO backstitch_counter (name, value) VALUES ('transaction', 0)")
            let first = #expect(throws: BackstitchError.self) {
                _ = try store.database.write(token: nil, mayRepeat: false) {
                    try $0.run(insertion)
                } number: { _ in
                    nil
                }
            }
            #expect(first?.code == .constraint)
            let second = #expect(throws: BackstitchError.self) {
                try store.database.read(isSnapshot: false) { (_: PostgreSQLConnection) throws -> Void in
                    throw BackstitchError(.invalidValue, "this is wrong")
                }
            }
            #expect(second?.code == .invalidValue)
            try store.close()
        }
    }

    @Test("whatever parts of assets are read, a connection keeps the same few statements prepared")
    func assetStatements() async throws {
        try await onThread {
            let store = try TestDatabase.store(options: [.postgresPoolSize: 1, .postgresPollInterval: 0])
            let reference = try store.assets.write(Data(repeating: 7, count: 1000))
            func prepared() throws -> [String] {
                try store.texts("SELECT count(*)::text FROM pg_prepared_statements")
            }
            func read(_ length: Int64) throws {
                let part = try store.assets.read(reference, 900..<900 + length)
                #expect(part == Data(repeating: 7, count: Int(length)))
                let others = (0..<length).map { AssetReference(checksum: "none \($0)", size: 1) }
                #expect(store.assets.present(among: Set(others + [reference])) == [reference])
            }
            try read(1)
            // The question itself is prepared when it is asked again.
            _ = try prepared()
            let few = try prepared()
            for length in 2...40 { try read(Int64(length)) }
            #expect(try prepared() == few)
            try store.close()
        }
    }

    @Test("a server that hangs up is asked again after pauses that grow, until the option's time is over")
    func backOff() async throws {
        let folder = URL(fileURLWithPath: "/tmp/backstitch-stranger-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stranger = try Stranger(folder, "")
        defer { stranger.stop() }
        let options = try PostgreSQLOptions(
            url: URL(string: "postgres://a@/b?host=\(folder.path)"),
            options: StoreOptions(
                [.postgresConnectTimeout: 2], specifications: PostgreSQLStore.optionSpecifications(for: [:])))
        try await onThread {
            let pool = PostgreSQLPool(options, name: "the database of nobody")
            let start = ContinuousClock.now
            #expect(throws: PostgreSQLFailure.self) { try pool.withConnection { _ in } }
            // Without the option the last try would come after 9.3 s.
            #expect(start.duration(to: .now) < .seconds(8))
            #expect(pool.counts == (0, 0))
        }
        let times = stranger.visits.withLock { $0 }
        let pauses = zip(times, times.dropFirst()).map { $0.duration(to: $1) }
        // 20 ms, 40, 80, 160, 320, 640; the next one would be too late. A busy machine may reach fewer.
        #expect((2...8).contains(times.count), "\(pauses)")
        for (pause, least) in zip(pauses, [20, 40, 80, 160, 320, 640]) { #expect(pause >= .milliseconds(least)) }
    }
}
