import Backstitch
import BackstitchSync
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@Suite("a device's process is killed", .serialized, .onFiles)
struct KillTests {
    /// The device's promises in its output: saves that returned, and one that may have returned at the kill.
    private struct Promises {
        var titles: [String: String] = [:]
        var pending: (kind: String, id: String, title: String)?

        mutating func take(_ line: String) {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 4 else { return }
            let change = (kind: words[1], id: words[2], title: words[3])
            if words[0] == "will" { pending = change }
            guard words[0] == "did" else { return }
            apply(change)
            pending = nil
        }

        mutating func apply(_ change: (kind: String, id: String, title: String)) {
            titles[change.id] = change.kind == "delete" ? nil : change.title
        }

        /// Notes the outcome of the save that the kill interrupted.
        mutating func settle(_ found: [String: String]) {
            guard let change = pending else { return }
            pending = nil
            let isDone = change.kind == "delete" ? found[change.id] == nil : found[change.id] == change.title
            if isDone { apply(change) }
        }
    }

    @Test("at any instant of save, push and apply, again and again: nothing is lost, doubled or stuck")
    func anyInstant() async throws {
        let kills = Effort.size("KILLS", usual: 20, whole: 100), seed = Effort.seed ?? UInt64(kills)
        print("kills: seed \(seed)")
        try await SyncWorld.run { world in
            let folder = world.folder(of: "victim")
            let other = try world.device()
            var promises = Promises()
            var random = SeededGenerator(seed: seed)
            var settled = 0
            for kill in 0..<kills {
                let victim = try TestProcess(world, folder: folder)
                #expect(try await victim.nextLine()?.hasPrefix("ready") == true)
                try victim.send("storm \(seed &+ UInt64(kill))")
                // The other device edits objects that the victim does not delete, so that there is something to apply
                // and to merge.
                try await edit(other, kill)
                try await Task.sleep(for: .microseconds(Int(random.next() % 120_000)))
                victim.kill()
                for line in try await victim.remainingLines() { promises.take(line) }
                if promises.pending != nil || kill % 10 == 9 || kill == kills - 1 {
                    let found = try await contents(of: world, "victim")
                    promises.settle(found)
                    let expected = promises.titles.merging(found.filter { $0.value == "theirs" }) { $1 }
                    let unlike = Set(expected.keys).union(found.keys).filter { found[$0] != expected[$0] }
                        .map { "\($0): \(found[$0] ?? "gone") is not \(expected[$0] ?? "gone")" }
                    #expect(unlike.isEmpty, "after kill \(kill)")
                    settled += 1
                }
            }
            let device = try world.device("victim")
            let dumps = try await converge(device, other)
            #expect(dumps[0] == dumps[1])
            let found = try await device.titlesByKey()
            #expect(found.filter { $0.value != "theirs" } == promises.titles)
            let status = try await device.sync.status
            #expect(status.pendingCount == 0 && status.blockedCount == 0)
            #expect(try await device.sync.blocked.parkedRecords().isEmpty)
            #expect(try await WireView(world).all().count == found.count)
            print(
                "counted: \(kills) kills of a device's process, \(settled) times compared, \(found.count) objects in the end"
            )
        }
    }

    private func edit(_ device: SyncDevice, _ number: Int) async throws {
        try await device.sync.sync()
        try await device.edit { context in
            for note in try context.fetch(FetchRequest<TestNote>(where: "rank == 0")).prefix(3) {
                note.body = "edit \(number)"
            }
            let note = TestNote(context: context)
            note.title = "theirs"
        }
        try await device.sync.sync()
    }

    /// Returns the content of the files, without any sync.
    private func contents(of world: SyncWorld, _ name: String) async throws -> [String: String] {
        let device = try world.device(name)
        let titles = try await device.titlesByKey()
        try device.close()
        return titles
    }
}

extension SyncDevice {
    fileprivate func titlesByKey() async throws -> [String: String] {
        try await read { context in
            let notes = try context.fetch(FetchRequest<TestNote>())
            return Dictionary(
                notes.map { ($0.objectID.key.uuidString, $0.title ?? "") }, uniquingKeysWith: { $1 })
        }
    }
}
