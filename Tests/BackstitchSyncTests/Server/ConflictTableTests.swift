import Backstitch
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("two devices, every pair of edits", .scenario)
struct ConflictTableTests: ScenarioSuite {
    /// An edit that one device makes to an object while the other does not see it.
    enum Edit: String, CaseIterable, Sendable {
        case nothing, retitle, retitleLikewise, clearTitle, rebody, retag, refolder, delete
    }

    @Test(
        "both devices end equal, with what the policy says, and every conflict is listed",
        arguments: ConflictResolutionPolicy.allCases)
    func table(_ policy: ConflictResolutionPolicy) async throws {
        let (a, b) = try s.pair(policy: policy)
        let pairs = Edit.allCases.flatMap { first in Edit.allCases.map { (first, $0) } }
        let ids = try await seed(pairs.count, on: a)
        try await s.settle(a, b)
        for (id, pair) in zip(ids, pairs) {
            try await apply(pair.0, to: id, on: a, by: "A")
            try await apply(pair.1, to: id, on: b, by: "B")
        }
        try await a.sync.sync()
        let summary = try await b.sync.sync()
        try await s.settle(a, b)
        let conflicts = Dictionary(summary.conflicts.map { ($0.objectID, $0) }, uniquingKeysWith: { $1 })
        for (id, pair) in zip(ids, pairs) {
            let expected = expectation(pair.0, pair.1, policy)
            let found = try await describe(id, on: b)
            #expect(found == expected.end, "A: \(pair.0), B: \(pair.1), \(policy)")
            #expect((conflicts[id] != nil) == expected.isConflict, "A: \(pair.0), B: \(pair.1), \(policy)")
            if expected.isConflict { #expect(conflicts[id]?.winner == (policy == .serverWins ? .server : .client)) }
        }
    }

    /// Returns the expected outcome of A's edit, which the server has first, and B's.
    private func expectation(
        _ first: Edit, _ second: Edit, _ policy: ConflictResolutionPolicy
    ) -> (end: String, isConflict: Bool) {
        switch (first, second) {
        case (.delete, .delete), (.delete, .nothing), (.nothing, .delete): return ("gone", false)
        case (.delete, let edit): return policy == .serverWins ? ("gone", true) : (state([(edit, "B")]), true)
        case (let edit, .delete): return policy == .serverWins ? (state([(edit, "A")]), true) : ("gone", true)
        default: break
        }
        let contested: Set<Edit> = [.retitle, .retitleLikewise, .clearTitle]
        let isSame = first == second && (first == .retitleLikewise || first == .clearTitle)
        if contested.contains(first), contested.contains(second) {
            if isSame { return (state([(first, "A")]), false) }
            return (state([policy == .serverWins ? (first, "A") : (second, "B")]), true)
        }
        if first == .refolder, second == .refolder {
            return (state([policy == .serverWins ? (first, "A") : (second, "B")]), true)
        }
        if first == .rebody, second == .rebody {
            return (state([policy == .serverWins ? (first, "A") : (second, "B")]), true)
        }
        return (state([(first, "A"), (second, "B")]), false)
    }

    private func state(_ edits: [(Edit, String)]) -> String {
        var title = "title", body = "body", folder = "none", tags: Set<String> = ["both"]
        for (edit, who) in edits {
            switch edit {
            case .retitle: title = "title by \(who)"
            case .retitleLikewise: title = "the same title"
            case .clearTitle: title = "none"
            case .rebody: body = "body by \(who)"
            case .refolder: folder = "folder \(who)"
            case .retag: tags = tags.subtracting(["both"]).union(["tag \(who)"])
            case .nothing, .delete: break
            }
        }
        return "\(title), \(body), \(folder), \(tags.sorted())"
    }

    private func describe(_ id: ObjectID, on device: SyncDevice) async throws -> String {
        try await device.read { context in
            guard let note = try? context.existingObject(with: id) as? TestNote else { return "gone" }
            let tags = note.tags.compactMap(\.name).sorted()
            return "\(note.title ?? "none"), \(note.body ?? "none"), \(note.folder?.name ?? "none"), \(tags)"
        }
    }

    private func seed(_ count: Int, on device: SyncDevice) async throws -> [ObjectID] {
        try await device.edit { context in
            let tags = ["both", "tag A", "tag B"].map { name in
                let tag = TestTag(context: context)
                tag.name = name
                return tag
            }
            for name in ["folder A", "folder B"] { TestFolder(context: context).name = name }
            return (0..<count).map { _ in
                let note = TestNote(context: context)
                note.title = "title"
                note.body = "body"
                note.tags = [tags[0]]
                return note.objectID
            }
        }
    }

    private func apply(_ edit: Edit, to id: ObjectID, on device: SyncDevice, by who: String) async throws {
        try await device.change(id) { note, context in
            switch edit {
            case .nothing: break
            case .retitle: note.title = "title by \(who)"
            case .retitleLikewise: note.title = "the same title"
            case .clearTitle: note.title = nil
            case .rebody: note.body = "body by \(who)"
            case .refolder:
                note.folder = try context.fetch(FetchRequest<TestFolder>(where: "name == %@", "folder \(who)")).first
            case .retag:
                note.tags = Set(try context.fetch(FetchRequest<TestTag>(where: "name == %@", "tag \(who)")))
            case .delete: context.delete(note)
            }
        }
    }
}
