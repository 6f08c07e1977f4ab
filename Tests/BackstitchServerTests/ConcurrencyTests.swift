import Backstitch
import BackstitchSupport
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite struct ConcurrencyTests {
    @Test(
        "a reader that follows the feed while eight writers commit loses nothing and sees no commit in part",
        arguments: StorageKind.allCases)
    func feedUnderLoad(_ kind: StorageKind) async throws {
        try await kind.withPlace { place in
            try await withServer({ $0.storage = place }) { client, _ in
                try await client.makeZone()
                let writers = 8, commits = 25, size = 3
                let isDone = Locked(false)
                let seen = try await withThrowingTaskGroup(of: [String: Int]?.self) { group in
                    group.addTask {
                        var counts: [String: Int] = [:]
                        var token: String?
                        while true {
                            // Asked before the page, so that the last page comes after the last commit.
                            let wasDone = isDone.withLock { $0 }
                            let page = try await client.page(token, limit: 10)
                            for record in page.records { counts[record.recordName, default: 0] += 1 }
                            let byCommit = Dictionary(grouping: page.records) { $0.recordName.prefix { $0 != "." } }
                            for records in byCommit.values where records.count != size {
                                throw TestFailure("a commit came in part: \(records.map(\.recordName))")
                            }
                            token = page.syncToken
                            if wasDone, !page.moreComing { return counts }
                        }
                    }
                    for writer in 0..<writers {
                        group.addTask {
                            for commit in 0..<commits {
                                let results = try await client.modify(
                                    (0..<size).map { create("w\(writer)c\(commit).\($0)") })
                                guard results.allSatisfy({ $0.error == nil }) else { throw TestFailure("\(results)") }
                            }
                            return nil
                        }
                    }
                    var finished = 0
                    var counts: [String: Int] = [:]
                    for try await result in group {
                        if let result { counts = result } else { finished += 1 }
                        if finished == writers { isDone.withLock { $0 = true } }
                    }
                    return counts
                }
                #expect(seen.count == writers * commits * size)
                #expect(seen.values.allSatisfy { $0 == 1 })
            }
        }
    }

    @Test("writers that compare change tags lose no update", arguments: StorageKind.allCases)
    func compareAndSwap(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { client, _ in
            try await client.makeZone()
            try await client.save("counter", ["n": .int64(0)])
            let writers = 6, increments = 10
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<writers {
                    group.addTask {
                        for _ in 0..<increments {
                            var isSaved = false
                            while !isSaved {
                                let record = try await client.lookup(["counter"])[0].record()
                                guard case .int64(let n)? = record.value("n") else { throw TestFailure("no number") }
                                let result = try await client.modify([
                                    operation(.update, "counter", tag: record.recordChangeTag, ["n": .int64(n + 1)])
                                ])[0]
                                if let error = result.error, error.code != .conflict { throw error }
                                isSaved = result.error == nil
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let end = try await client.lookup(["counter"])[0].record()
            #expect(end.value("n") == .int64(Int64(writers * increments)))
        }
    }

    @Test("the feed of zones loses no zone while writers commit to several")
    func databaseFeedUnderLoad() async throws {
        try await withServer { client, _ in
            let zones = (0..<4).map { "Z\($0)" }
            for zone in zones { try await client.makeZone(zone) }
            let start: DatabaseChangesResponse = try await client.call(.changesDatabase)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for zone in zones {
                    group.addTask {
                        for index in 0..<10 { try await client.save("r\(index)", zone: zone) }
                    }
                }
                group.addTask {
                    // Follows both feeds as a client does, and must end with every record.
                    var token = start.syncToken
                    var zoneTokens: [String: String?] = [:]
                    var names: Set<String> = []
                    let end = ContinuousClock.now + .seconds(20)
                    while names.count < zones.count * 10 {
                        guard ContinuousClock.now < end else { throw TestFailure("only \(names.count) records came") }
                        let changes: DatabaseChangesResponse = try await client.call(
                            .changesDatabase, DatabaseChangesRequest(syncToken: token))
                        for case .zone(let zone) in changes.zones {
                            let name = zone.zoneID.zoneName
                            let read = try await client.follow(zoneTokens[name] ?? nil, zone: name)
                            zoneTokens[name] = read.token
                            names.formUnion(read.records.map { "\(name)/\($0.recordName)" })
                        }
                        token = changes.syncToken
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
