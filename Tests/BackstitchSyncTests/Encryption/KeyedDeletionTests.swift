import Backstitch
import BackstitchServer
import BackstitchSimulator
import BackstitchSync
import TestSupport
import Testing

@Suite("deletions of records whose keys are replaced, or missing", .timeLimit(.minutes(3)))
struct KeyedDeletionTests {
    /// A device of a scenario with the vault's model.
    private func device(
        _ s: Scenario, _ keys: TestKeys, policy: ConflictResolutionPolicy = .serverWins
    ) throws -> SyncDevice {
        try s.device(policy: policy, model: VaultModel.description, [.syncEncryptionKeys: keys])
    }

    @Test(
        "a record that was deleted before its turn came is not made anew, for nobody has edited it",
        arguments: [ConflictResolutionPolicy.serverWins, .clientWins])
    func beforeItsTurn(_ policy: ConflictResolutionPolicy) async throws {
        try await Scenario.run { s in
            let keys = try TestKeys("k1")
            let phone = try device(s, keys, policy: policy)
            let desk = try device(s, try TestKeys("k1", "k2"), policy: policy)
            let id = try await phone.addSecret(["text": .string("a")])
            try await s.settle()
            try keys.rotate(to: "k2", replacing: "k1")
            await s.atNextPush {
                try await desk.delete(id)
                try await desk.sync.sync()
            }
            let summary = try await phone.sync.sync()
            #expect(summary.conflicts.isEmpty)
            try await s.settle()
            #expect(try await phone.values("text", of: "Secret").isEmpty)
            #expect(try await s.zone().all().isEmpty)
            try await s.expectNothingUnsent()
        }
    }

    @Test("nor is one whose deletion the server has forgotten")
    func forgotten() async throws {
        try await Scenario.run(configure: { $0.tombstoneRetention = 3_600 }) { s in
            let keys = try TestKeys("k1")
            let phone = try device(s, keys, policy: .clientWins), desk = try device(s, try TestKeys("k1", "k2"))
            let id = try await phone.addSecret(["text": .string("a")])
            try await s.settle()
            try keys.rotate(to: "k2", replacing: "k1")
            await s.sync(phone, .cut)
            #expect(try await phone.sync.status.pendingCount == 1)
            try await desk.delete(id)
            try await desk.sync.sync()
            s.clock.advance(by: 3_601 * 1_000)
            try await s.server.cleanUp()
            #expect(try await phone.sync.sync().conflicts.isEmpty)
            try await s.settle()
            #expect(try await phone.values("text", of: "Secret").isEmpty)
            #expect(try await s.zone().all().isEmpty)
        }
    }

    @Test("a record that waits for a key does not come when it does, once its zone was lost without it")
    func lostZone() async throws {
        try await Scenario.run { s in
            let lateKeys = try TestKeys("k1"), phone = try device(s, try TestKeys("k2")), late = try device(s, lateKeys)
            let id = try await phone.addSecret(["text": .string("a")])
            try await phone.sync.sync()
            #expect(try await late.sync.sync().parked.count == 1)
            try await s.zone().deleteZone()
            try await phone.sync.sync()
            try await phone.delete(id)
            try await phone.sync.sync()
            try await late.sync.sync()
            try lateKeys.add("k2")
            try await s.settle()
            #expect(try await late.values("text", of: "Secret").isEmpty)
            #expect(try await late.sync.blocked.parkedRecords().isEmpty)
        }
    }

    @Test("nor once everything was read again without it")
    func readAgain() async throws {
        try await Scenario.run(configure: { $0.tombstoneRetention = 3_600 }) { s in
            let lateKeys = try TestKeys("k1"), phone = try device(s, try TestKeys("k2")), late = try device(s, lateKeys)
            let id = try await phone.addSecret(["text": .string("a")])
            try await phone.sync.sync()
            #expect(try await late.sync.sync().parked.count == 1)
            try await phone.delete(id)
            try await phone.sync.sync()
            s.clock.advance(by: 3_601 * 1_000)
            try await s.server.cleanUp()
            try await late.sync.sync()
            #expect(try await late.sync.blocked.parkedRecords().isEmpty)
            try lateKeys.add("k2")
            try await s.settle()
            #expect(try await late.values("text", of: "Secret").isEmpty)
        }
    }

    @Test("an insert whose answer was lost is not sent anew when its record came back unreadable and was deleted then")
    func lostAnswer() async throws {
        try await Scenario.run { s in
            let keys = try TestKeys("k1"), lateKeys = try TestKeys("k1")
            let phone = try device(s, keys), late = try device(s, lateKeys)
            let id = try await late.addSecret(["text": .string("a")])
            await s.sync(late, .lostAnswer)
            try await phone.sync.sync()
            try keys.rotate(to: "k2", replacing: "k1")
            try await phone.set(id, ["text": .string("b")])
            try await phone.sync.sync()
            // Its insert meets a record that it cannot read.
            try await late.set(id, ["label": .string("late")])
            #expect(try await late.sync.sync().blocked.map(\.objectID) == [id])
            try await phone.delete(id)
            try await phone.sync.sync()
            let summary = try await late.sync.sync()
            #expect(summary.deleted == [id] && summary.conflicts.map(\.kind) == [.editedHereDeletedThere])
            try await s.settle()
            #expect(try await s.zone().all().isEmpty)
            try await s.expectNothingUnsent()
        }
    }

    @Test("a record that waits for a key, and is deleted, does not come when the key does, and no edit waits for it")
    func parked() async throws {
        try await Scenario.run { s in
            let keys = try TestKeys("k1"), lateKeys = try TestKeys("k1")
            let phone = try device(s, keys), late = try device(s, lateKeys)
            let id = try await phone.addSecret(["text": .string("a")])
            try await s.settle()
            try keys.rotate(to: "k2")
            try await phone.set(id, ["text": .string("b")])
            try await phone.sync.sync()
            try await late.set(id, ["text": .string("late")])
            #expect(try await late.sync.sync().blocked.map(\.objectID) == [id])
            #expect(try await late.sync.blocked.parkedRecords().map(\.keyID) == ["k2"])
            try await phone.delete(id)
            try await phone.sync.sync()
            let summary = try await late.sync.sync()
            #expect(summary.deleted == [id] && summary.conflicts.map(\.kind) == [.editedHereDeletedThere])
            #expect(try await late.sync.blocked.parkedRecords().isEmpty)
            try lateKeys.add("k2")
            try await late.sync.sync()
            #expect(try await late.values("text", of: "Secret").isEmpty)
            try await s.settle()
            try await s.expectNothingUnsent()
        }
    }
}
