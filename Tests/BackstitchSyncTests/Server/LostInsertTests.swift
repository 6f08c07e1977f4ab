import Backstitch
import BackstitchServer
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("an insert whose answer is lost, and that others delete meanwhile")
struct LostInsertTests {
    @Test(
        "stays deleted everywhere, also when its maker has died in between",
        arguments: ConflictResolutionPolicy.allCases,
        [true, false])
    func deletedElsewhere(_ policy: ConflictResolutionPolicy, dies: Bool) async throws {
        try await SyncWorld.run { world in
            var a = try world.device("a", policy: policy)
            let b = try world.device(policy: policy)
            _ = try await a.addNote("known")
            _ = try await converge(a, b)
            let id = try await a.addNote("note") { note, context in note.tags = [TestTag(context: context)] }
            await world.faults.breakDown(at: "records/modify")
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            if dies {
                try a.close()
                a = try world.device("a", policy: policy)
            }
            await world.faults.clear()
            try await b.sync.sync()
            try await b.delete(id)
            try await b.sync.sync()
            let summary = try await a.sync.sync()
            #expect(summary.conflicts.isEmpty)
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1])
            #expect(try await a.titles() == ["known"])
        }
    }

    @Test("lives on under clientWins with what was edited after it was sent, and only that is in conflict")
    func editedSince() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(policy: .clientWins), b = try world.device(policy: .clientWins)
            _ = try await a.addNote("known")
            _ = try await converge(a, b)
            let id = try await a.addNote("note")
            await world.faults.breakDown(at: "records/modify")
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            await world.faults.clear()
            try await a.change(id) { note, _ in note.body = "edited since" }
            try await b.sync.sync()
            try await b.delete(id)
            try await b.sync.sync()
            #expect(try await a.sync.sync().conflicts.map(\.keys) == [["body"]])
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1])
            #expect(try await b.titles() == ["known", "note"])
        }
    }
}
