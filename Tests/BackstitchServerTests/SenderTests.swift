import BackstitchServer
import CloudWire
import TestSupport
import Testing

@Suite("pushes that say who sends them, and how far that one has read")
struct SenderTests {
    @Test("a push of who has read another life of the zone is refused as a whole, and changes nothing")
    func otherLife() async throws {
        try await withServer { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            try await client.save("A")
            let token = try await client.page().syncToken
            let deletion = ZonesModifyRequest(operations: [.init(.delete, TestClient.zone)])
            let _: ZonesResponse = try await client.call(.zonesModify, deletion)
            try await client.makeZone()
            let error = await expectFailure(.badRequest) {
                try await client.modify([create("B"), operation(.forceDelete, "A")], readUpTo: token)
            }
            #expect(error?.reason == WireError.expiredTokenReason)
            #expect(try await client.page().records.isEmpty)
            let garbled = await expectFailure(.badRequest) {
                try await client.modify([create("B")], readUpTo: "garbled")
            }
            #expect(garbled?.reason == WireError.expiredTokenReason)
            // A client that does not speak the extension says nothing by it.
            let results = try await plain.modify([create("B")], readUpTo: token)
            #expect(results[0].error == nil)
        }
    }

    @Test("a record is not made anew by who cannot have read of its deletion, and is by who has")
    func unreadDeletion() async throws {
        try await withServer { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            let early = try await client.page().syncToken
            try await client.modify([create("A"), create("B")], readUpTo: early)
            try await client.save(.forceDelete, "A")
            let results = try await client.modify([create("A"), create("C")], readUpTo: early)
            #expect(results.map { $0.error?.code } == [.conflict, .atomicError])
            guard case .error(let conflict) = results[0] else { throw TestFailure("\(results)") }
            #expect(conflict.serverRecordDeleted)
            #expect(try await client.lookup(["A"])[0].error?.code == .notFound)
            let late = try await client.page().syncToken
            #expect(try await client.modify([create("A")], readUpTo: late)[0].error == nil)
        }
    }

    @Test("a stamp names the device that made a record, whoever changes it later")
    func makers() async throws {
        try await withServer { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            let made = try await client.modify([create("A")], device: "phone")[0].record()
            #expect(made.created?.deviceID == "phone")
            let changed = operation(.update, "A", tag: made.recordChangeTag, ["n": .int64(1)])
            #expect(try await client.modify([changed], device: "tablet")[0].record().created?.deviceID == "phone")
            try await client.save(.forceDelete, "A")
            try await client.modify([create("A")], device: "tablet")
            #expect(try await client.page().records.map(\.created?.deviceID) == ["tablet"])
            #expect(try await plain.modify([create("B")], device: "phone")[0].record().created?.deviceID == "2")
            let long = String(repeating: "x", count: 65)
            _ = await expectFailure(.badRequest) { try await client.modify([create("C")], device: long) }
            #expect(try await client.lookup(["C"])[0].error?.code == .notFound)
        }
    }

    @Test(
        "a device with control characters in its name is refused, whatever the storage", arguments: StorageKind.allCases
    )
    func unreadableDevice(_ kind: StorageKind) async throws {
        try await withServer(on: kind) { plain, _ in
            let client = plain.extended()
            try await client.makeZone()
            for device in ["a\u{0}", "\u{7F}", "a\nb"] {
                await expectFailure(.badRequest) { try await client.modify([create("A")], device: device) }
            }
            #expect(try await client.lookup(["A"])[0].error?.code == .notFound)
        }
    }
}
