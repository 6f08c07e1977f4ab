import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// A server whose storage has its own file system, which fills up. ``DiskRoomTests`` run everywhere.
@Suite(
    "a disk that is full",
    .enabled(if: SmallDisk.isAllowed, "no file system can be mounted here (unshare -m, unshare -rm)"),
    .timeLimit(.minutes(5)))
struct FullDiskTests {
    private static let size = 300_000

    /// A record with a text of its own.
    private func record(_ name: String) -> RecordOperation {
        create(name, ["t": .string(name.padding(toLength: Self.size, withPad: "x", startingAt: 0))])
    }

    /// Makes a record, and returns the refusal.
    private func push(_ name: String, _ client: TestClient) async throws -> WireError? {
        try await refusal(of: record(name), client)
    }

    /// Sends an operation, and returns its refusal.
    private func refusal(of operation: RecordOperation, _ client: TestClient) async throws -> WireError? {
        do {
            return try await client.modify([operation], desiredKeys: []).first?.error
        } catch let error as WireError {
            return error
        }
    }

    /// Makes records until the disk is full, and returns their names.
    private func fill(_ client: TestClient, _ prefix: String) async throws -> [String] {
        var saved: [String] = []
        while saved.count < 200 {
            let name = "\(prefix)\(saved.count)"
            if let refusal = try await push(name, client) {
                expectFull(refusal)
                return saved
            }
            saved.append(name)
        }
        throw TestFailure("the disk does not fill up")
    }

    private func delete(_ names: some Collection<String>, _ client: TestClient) async throws {
        let results = try await client.modify(names.map { operation(.forceDelete, $0) })
        #expect(results.allSatisfy { $0.error == nil }, "\(results)")
    }

    private func expectFull(_ refusal: WireError?, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(refusal?.code == .tryAgainLater, "\(refusal as Any)", sourceLocation: sourceLocation)
        #expect(refusal?.reason.contains("disk is full") == true, sourceLocation: sourceLocation)
        #expect(refusal?.reason.contains("delete something, or try again") == true, sourceLocation: sourceLocation)
        #expect(refusal?.retryAfter == 60, sourceLocation: sourceLocation)
    }

    private func readiness(_ client: TestClient) async throws -> TestAnswer {
        try await client.send(client.base + "/ready", method: .GET)
    }

    private func expectNotReady(
        _ client: TestClient, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        // An answer is at most a second old.
        #expect(try await eventually { try await readiness(client).status == 503 }, sourceLocation: sourceLocation)
        #expect(try await readiness(client).text.contains("the disk is full"), sourceLocation: sourceLocation)
    }

    private func expectReady(_ client: TestClient, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await eventually { try await readiness(client).status == 200 }, sourceLocation: sourceLocation)
    }

    /// Reads records back, and compares their texts.
    private func expectWhole(
        _ names: [String], _ client: TestClient, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for part in names.parts(of: 5) {
            for (name, result) in zip(part, try await client.lookup(Array(part))) {
                #expect(
                    try result.record().value("t") == record(name).record.value("t"), sourceLocation: sourceLocation)
            }
        }
    }

    private func expectGone(
        _ names: [String], _ client: TestClient, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for part in names.parts(of: 50) {
            let results = try await client.lookup(Array(part))
            #expect(results.allSatisfy { $0.error?.code == .notFound }, sourceLocation: sourceLocation)
        }
    }

    @Test("writes are refused with advice, reads go on, /ready reports it; and all is well when there is room again")
    func full() async throws {
        try await SmallDisk.run { disk in
            try disk.fill("ballast", leaving: 16 << 20)
            try await disk.serving { client in
                try await client.makeZone()
                let saved = try await fill(client, "r")
                #expect(saved.count > 3)
                try await expectNotReady(client)
                try await expectWhole(saved, client)
                expectFull(try await push("more", client))
                try disk.remove("ballast")
                try await expectReady(client)
                #expect(try await push("after", client) == nil)
                try await expectWhole(saved + ["after"], client)
            }
        }
    }

    @Test("deletions go through on a full disk, again and again, and make room by themselves")
    func deletions() async throws {
        try await SmallDisk.run { disk in
            try await disk.serving { client in
                try await client.makeZone()
                #expect(disk.size(of: "zones/zones.reserve") == DiskReserve.size)
                for round in 0..<3 {
                    let saved = try await fill(client, "r\(round)-")
                    #expect(saved.count > 3)
                    // Not a byte is left.
                    try disk.fill("ballast")
                    for part in saved.dropLast().parts(of: 5) { try await delete(part, client) }
                    try await expectGone(saved.dropLast(), client)
                    // The rows are free, so there is room for other records.
                    try await expectReady(client)
                    #expect(try await push("kept \(round)", client) == nil)
                    try await expectWhole(saved.suffix(1), client)
                    try disk.remove("ballast")
                }
                try await expectWhole((0..<3).map { "kept \($0)" }, client)
            }
        }
    }

    @Test("zones are deleted, and what is sent beside deletions is refused alone")
    func otherDeletions() async throws {
        try await SmallDisk.run { disk in
            try await disk.serving { plain in
                let client = plain.extended()
                for zone in ["Z", "other"] { try await client.makeZone(zone) }
                try disk.fill("ballast", leaving: 8 << 20)
                let saved = try await fill(client, "r")
                try disk.fill("rest")
                // An atomic request tells which part of it has no room.
                let both = [record("new"), operation(.forceDelete, saved[0])]
                let refused = try await client.modify(both, atomic: true, key: "1")
                expectFull(refused[0].error)
                #expect(refused[1].error?.code == .atomicError)
                let parted = try await client.modify(both, atomic: false, key: "2")
                expectFull(parted[0].error)
                #expect(parted[1].error == nil)
                try await expectGone([saved[0]], client)
                for zone in ["other", "Z"] {
                    let answer: ZonesResponse = try await client.call(
                        .zonesModify, ZonesModifyRequest(operations: [.init(.delete, ZoneID(zoneName: zone))]))
                    if case .error(let error)? = answer.zones.first { Issue.record("\(zone): \(error)") }
                }
                try disk.remove("ballast")
                try await expectReady(client)
                try await client.makeZone()
                #expect(try await push("again", client) == nil)
                #expect(disk.size(of: "zones/zones.reserve") > 0)
            }
        }
    }

    @Test("a file that does not fit beside the room for writes is refused before its bytes, and again with room taken")
    func uploads() async throws {
        try await SmallDisk.run { disk in
            try await disk.serving { client in
                try await client.makeZone()
                func upload(_ count: Int) async throws -> TestAnswer {
                    let answer: AssetUploadResponse = try await client.call(
                        .assetsUpload,
                        AssetUploadRequest(
                            zoneID: TestClient.zone,
                            tokens: [.init(recordName: "A", recordType: "Item", fieldName: "file")]))
                    return try await client.send(
                        answer.tokens[0].url, body: [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count))
                }
                #expect(try await upload(1 << 20).status == 200)
                let refused = try await upload(14 << 20)
                #expect(refused.status == 503)
                expectFull(try WireError(wireJSON: refused.body))
                try await expectReady(client)
                try disk.fill("ballast")
                try await expectNotReady(client)
                expectFull(try WireError(wireJSON: try await upload(1 << 20).body))
                try disk.remove("ballast")
                try await expectReady(client)
                #expect(try await upload(2 << 20).status == 200)
            }
        }
    }

    @Test("a server starts on a full disk, reads, deletes, refuses all else, and goes on by itself when there is room")
    func starts() async throws {
        try await SmallDisk.run { disk in
            try disk.fill("ballast", leaving: 16 << 20)
            let saved = try await disk.serving { client in
                try await client.makeZone()
                return try await fill(client, "r")
            }
            try disk.fill("rest")
            #expect(try disk.free() == 0)
            try await disk.serving { client in
                try await expectNotReady(client)
                try await expectWhole(saved, client)
                expectFull(try await push("more", client))
                try await delete([saved[0]], client)
                try disk.remove("ballast")
                try await expectReady(client)
                #expect(try await push("more", client) == nil)
                #expect(disk.size(of: "zones/zones.reserve") > 0)
            }
            try await disk.serving { client in
                try await expectWhole(["more"] + saved.dropFirst(), client)
                try await expectGone([saved[0]], client)
            }
        }
    }

    @Test("a server that is killed while it deletes on a full disk loses nothing that it has acknowledged")
    func killed() async throws {
        try await SmallDisk.run { disk in
            let saved = try await disk.serving { client in
                try await client.makeZone()
                return try await fill(client, "r")
            }
            try disk.fill("ballast")
            var gone = 0
            var random = SeededGenerator(seed: 4)
            for _ in 0..<4 {
                let (process, client) = try await disk.serveClient()
                defer { if process.isRunning { process.kill() } }
                // Those of the rounds before, and perhaps the one that was under way.
                try await expectGone(Array(saved.prefix(gone)), client)
                try await expectWhole(Array(saved.dropFirst(gone + 1)), client)
                for _ in 0..<3 where gone < saved.count - 1 {
                    try await delete([saved[gone]], client)
                    gone += 1
                }
                // One more is under way when the server dies. It may have been committed.
                let next = saved[gone]
                let dying = Task { try? await client.modify([operation(.forceDelete, next)]) }
                try await Task.sleep(for: .microseconds(Int(random.next() % 20_000)))
                process.kill()
                // The client tries for 70 s to connect again.
                dying.cancel()
                _ = await dying.value
            }
        }
    }

    @Test("random changes, kills, and a disk that fills and empties: what was acknowledged is there, and nothing else")
    func storm() async throws {
        let seed = Effort.seed ?? UInt64.random(in: 0..<1_000_000)
        print("full disk: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        try await SmallDisk.run { disk in
            var kept: Set<String> = [], gone: [String] = [], isFilled = false, refused = 0, starts = 0
            var (process, client) = try await disk.serveClient()
            defer { process.kill() }
            try await client.makeZone()
            for step in 0..<Effort.size("DISK_STEPS", usual: 150, whole: 1_000) {
                switch random.next() % 12 {
                case 0..<7:
                    if let refusal = try await push("r\(step)", client) {
                        expectFull(refusal)
                        refused += 1
                    } else {
                        kept.insert("r\(step)")
                    }
                case 7, 8:
                    for name in kept.sorted().shuffled(using: &random).prefix(1) {
                        // Another program may have taken the reserve that an earlier deletion emptied.
                        if let refusal = try await refusal(of: operation(.forceDelete, name), client) {
                            expectFull(refusal)
                        } else {
                            kept.remove(name)
                            gone.append(name)
                        }
                    }
                case 9, 10:
                    if isFilled { try disk.remove("ballast") }
                    isFilled.toggle()
                    if isFilled { try disk.fill("ballast", leaving: max(0, Int64(random.next() % 16) - 4) << 20) }
                default:
                    if random.next() % 2 == 0 { process.kill() } else { #expect(process.stop() == 0) }
                    // Without a reserve a server cannot start on a full disk.
                    if isFilled, disk.size(of: "zones/zones.reserve") == 0 {
                        try disk.remove("ballast")
                        isFilled = false
                    }
                    (process, client) = try await disk.serveClient()
                    starts += 1
                }
            }
            if isFilled { try disk.remove("ballast") }
            for name in kept.sorted().prefix(kept.count / 2) {
                #expect(try await refusal(of: operation(.forceDelete, name), client) == nil)
                kept.remove(name)
                gone.append(name)
            }
            try await expectReady(client)
            try await expectWhole(kept.sorted(), client)
            try await expectGone(gone, client)
            #expect(try await push("last", client) == nil)
            print("counted: \(kept.count) kept, \(gone.count) deleted, \(refused) refused, \(starts) starts")
        }
    }
}
