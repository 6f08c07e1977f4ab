import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchSupport
import CloudWire
import Foundation
import Logging
import TestSupport
import Testing

@testable import BackstitchServer

/// Writes that share a commit, on a real file.
@Suite struct GroupCommitTests {
    private typealias Write = @Sendable (ZoneTransaction) throws -> Int

    /// Holds up the writer, and lets `writes` queue up behind it. Returns the result of each, the number of commits,
    /// and the table's rows afterwards.
    private func together(
        limits: GroupCommit.Limits = .init(work: .seconds(3600)), users: [String] = [],
        after earlier: (user: String, write: Write)? = nil,
        _ writes: [Write]
    ) async throws -> (results: [Result<Int, any Error>], commits: Int64, rows: Set<Int>) {
        try await withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let database = try SQLiteTables.open(folder.appendingPathComponent("x.sqlite").path, applicationID: 1)
            let witness = try StorageWitness(directory: folder, logger: .init(label: "test"))
            try database.transact { connection in
                let transaction = ZoneTransaction(connection)
                try transaction.execute(
                    "CREATE TABLE life (only INTEGER PRIMARY KEY, history INTEGER, commits INTEGER)")
                try transaction.execute("CREATE TABLE t (n INTEGER UNIQUE)")
                try transaction.execute("INSERT INTO life VALUES (1, 1, 0)")
            }
            let commits = GroupCommit(database, witness: witness, limits: limits)
            if let earlier { _ = try? await commits.write(for: earlier.user, bytes: 10, earlier.write) }
            let gate = DispatchSemaphore(value: 0)
            let isHeld = Locked(false)
            async let first: Int = commits.write(for: "", bytes: 0) { _ in
                isHeld.withLock { $0 = true }
                gate.wait()
                return 0
            }
            #expect(try await eventually { isHeld.withLock { $0 } })
            let results = try await withThrowingTaskGroup(of: (Int, Result<Int, any Error>).self) { group in
                for (index, write) in writes.enumerated() {
                    let user = users.isEmpty ? "" : users[index]
                    group.addTask {
                        do { return (index, .success(try await commits.write(for: user, bytes: 10, write))) } catch {
                            return (index, .failure(error))
                        }
                    }
                    if !users.isEmpty { #expect(try await eventually { commits.waitingCount == index + 1 }) }
                }
                #expect(try await eventually { commits.waitingCount == writes.count })
                gate.signal()
                var results = writes.map { _ in Result<Int, any Error>.success(-1) }
                for try await (index, result) in group { results[index] = result }
                return results
            }
            // It belongs to the first group, and shares its fate.
            do { _ = try await first } catch { #expect(results.contains { (try? $0.get()) == nil }) }
            let (count, rows) = try database.readOnce { connection in
                let reading = ZoneSnapshot(connection)
                return (
                    try reading.one("SELECT commits FROM life") { $0.int(0) } ?? 0,
                    Set(try reading.all("SELECT n FROM t") { Int($0.int(0)) })
                )
            }
            try database.close()
            witness.close()
            #expect(try StorageWitness(directory: folder, logger: .init(label: "test")).read()?.commits == count)
            return (results, count, rows)
        }
    }

    private static func insert(_ number: Int) -> Write {
        { writing in
            try writing.execute("INSERT INTO t VALUES (\(number))")
            return number
        }
    }

    @Test("writes that wait together share a commit")
    func share() async throws {
        let (results, commits, rows) = try await together((1...20).map(Self.insert))
        #expect(rows == Set(1...20))
        #expect(try results.map { try $0.get() } == Array(1...20))
        #expect(commits == 1)
    }

    @Test("whoever writes behind a user whose writes take long does not wait for another one of them")
    func slow() async throws {
        let writes = (1...3).map { number -> Write in
            { writing in
                if number == 1 { Thread.sleep(forTimeInterval: 0.05) }
                return try Self.insert(number)(writing)
            }
        }
        let users = ["slow", "quick", "slow"]
        let (_, commits, rows) = try await together(users: users, writes)
        #expect(commits == 2 && rows == [1, 2, 3])
        // So it is where a long one was refused.
        let refusal: Write = { _ in
            Thread.sleep(forTimeInterval: 0.05)
            throw TestFailure("refused")
        }
        let (_, refused, _) = try await together(
            users: ["quick", "slow"], after: ("slow", refusal), [Self.insert(1), Self.insert(2)])
        #expect(refused == 2)
        // One's own may come together.
        let (_, same, _) = try await together(users: ["", "", ""], writes)
        #expect(same == 1)
    }

    @Test("a group takes no write that is too large for what it has room for")
    func large() async throws {
        let limits = GroupCommit.Limits(bytes: 25, work: .seconds(3600))
        let (_, commits, rows) = try await together(limits: limits, (1...3).map(Self.insert))
        #expect(commits == 2 && rows == [1, 2, 3])
    }

    @Test("a write that throws undoes itself, and no other")
    func throwing() async throws {
        let writes = (1...9).map { number -> Write in
            { writing in
                _ = try Self.insert(number)(writing)
                if number % 3 == 0 { throw TestFailure("\(number)") }
                // Rows of a write that threw are not there.
                return try writing.one("SELECT count(*) FROM t") { Int($0.int(0)) } ?? -1
            }
        }
        let (results, commits, rows) = try await together(writes)
        #expect(results.map { (try? $0.get()) != nil } == (1...9).map { $0 % 3 != 0 })
        #expect(results.compactMap { try? $0.get() }.sorted() == Array(1...6))
        #expect(rows == [1, 2, 4, 5, 7, 8])
        #expect(commits == 1)
    }

    @Test("a write whose transaction SQLite gives up takes its companions along, and the next go on")
    func rolledBack() async throws {
        let writes = (1...9).map { number -> Write in
            guard number == 5 else { return Self.insert(number) }
            return { writing in
                try writing.execute("INSERT OR ROLLBACK INTO t VALUES (50), (50)")
                return 0
            }
        }
        let (results, _, rows) = try await together(writes)
        // Their order is not fixed. Each has either its row or its error.
        #expect(rows == Set(results.compactMap { try? $0.get() }))
        #expect(!rows.contains(0) && !rows.contains(50))
    }

    @Test("a group ends where its limits are")
    func limits() async throws {
        for limits in [
            GroupCommit.Limits(writes: 5, work: .seconds(3600)), .init(bytes: 40, work: .seconds(3600)),
            .init(rows: 4, work: .seconds(3600)),
        ] {
            let commits = try await together(limits: limits, (1...20).map(Self.insert)).commits
            #expect((4...6).contains(commits))
        }
        let commits = try await together(limits: .init(work: .zero), (1...20).map(Self.insert)).commits
        #expect(commits == 20)
    }

    @Test("users take turns: whoever writes much waits behind himself, and the writes of each keep their order")
    func turns() async throws {
        let users = ["mallory", "mallory", "mallory", "mallory", "alice", "bob", "alice", "mallory"]
        let order = Locked<[Int]>([])
        let writes = users.indices.map { number -> Write in
            { writing in
                order.withLock { $0.append(number) }
                return try Self.insert(number)(writing)
            }
        }
        _ = try await together(limits: .init(work: .zero), users: users, writes)
        #expect(order.withLock { $0 } == [0, 4, 5, 1, 6, 2, 3, 7])
    }
}
