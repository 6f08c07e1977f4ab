import BackstitchSupport
import CloudWire
import TestSupport
import Testing

@testable import BackstitchServer

@Suite("zones that are shared, while many write") struct SharedFeedTests {
    @Test(
        "a guest who reads only the zones that the feed names misses no record of any", arguments: StorageKind.allCases)
    func feed(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let names = (0..<5).map { "Zone\($0)" }
            for name in names {
                try await place.alice.makeZone(name)
                try await place.accept(try await place.share(everybody: .readWrite, zone: name), "bob")
            }
            let guest = place.guest("bob").client
            var seen: Set<String> = [], token: String?, tokens: [String: String] = [:]
            func follow() async throws {
                let news = try await place.guest("bob").database(token)
                token = news.token
                for zone in news.zones {
                    let name = zone.zoneID.zoneName
                    let answer: ZoneChangesResponse = try await guest.call(
                        .changesZone,
                        ZoneChangesRequest(zones: [.init(zoneID: zone.zoneID, syncToken: tokens[name])]))
                    guard case .changes(let page)? = answer.zones.first else { throw TestFailure("\(answer)") }
                    tokens[name] = page.syncToken
                    for record in page.records { seen.insert("\(name) \(record.recordName)") }
                }
            }
            let isWriting = Locked(true)
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Records of all zones at once: their commits overlap.
                group.addTask {
                    try await withThrowingTaskGroup(of: Void.self) { writers in
                        for name in names {
                            writers.addTask {
                                for number in 0..<25 { try await place.alice.save("r\(number)", zone: name) }
                            }
                        }
                        try await writers.waitForAll()
                    }
                    isWriting.withLock { $0 = false }
                }
                while isWriting.withLock({ $0 }) { try await follow() }
                try await group.waitForAll()
            }
            try await follow()
            let all = names.flatMap { name in ["\(name) \(WireShare.zoneShareName)"] + (0..<25).map { "\(name) r\($0)" }
            }
            #expect(seen == Set(all))
        }
    }

    @Test("no change of a guest comes after the removal of the guest", arguments: StorageKind.allCases)
    func revocation(_ kind: StorageKind) async throws {
        try await SharedPlace.with(on: kind) { place in
            let guid = try await place.share([SharedPlace.invitation("bob@example.org")])
            try await place.accept(guid, "bob")
            let landed = Locked(0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0... {
                            let result = try await place.guest("bob").modify([create("w\(writer) \(number)")])[0]
                            if let error = result.error {
                                #expect(error.code == .zoneNotFound)
                                return
                            }
                            landed.withLock { $0 += 1 }
                        }
                    }
                }
                while landed.withLock({ $0 }) < 40 { await Task.yield() }
                _ = try await place.save([]).record()
                try await group.waitForAll()
            }
            // The feed tells records in the order of their commits.
            let order = try await place.alice.follow().records.map(\.recordName)
            #expect(order.last == WireShare.zoneShareName, "\(order.suffix(5))")
            #expect(order.count == landed.withLock { $0 } + 2)
        }
    }
}
