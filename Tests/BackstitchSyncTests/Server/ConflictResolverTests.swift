import Backstitch
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("conflicts that code decides", .scenario)
struct ConflictResolverTests: ScenarioSuite {
    @Test("a resolver sees base, both sides and the keys; its value is on all devices")
    func values() async throws {
        let seen = Locked<[ConflictToResolve]>([])
        let resolvers: ConflictResolvers = [
            "Note.body": { conflict in
                seen.withLock { $0.append(conflict) }
                let texts = [conflict.local, conflict.server].map { text($0["body"]) }
                return .values(["body": .string(texts.joined(separator: " + "))])
            }
        ]
        let (a, b, id) = try await quarrel(resolvers) { note, who in
            note.body = "\(who)'s body"
            note.rank = who == "A" ? 7 : note.rank
        }
        let summary = try await b.sync.sync()
        #expect(summary.conflicts.map(\.winner) == [.resolver])
        #expect(summary.conflicts.map(\.keys) == [["body"]])
        let conflict = try #require(seen.withLock { $0 }.first)
        #expect(conflict.objectID == id && conflict.kind == .edits && conflict.keys == ["body"])
        #expect(conflict.base["body"] == "body" && conflict.base["rank"] == 0)
        #expect(conflict.local["body"] == "B's body" && conflict.local["title"] == "title")
        #expect(conflict.server["body"] == "A's body" && conflict.server["rank"] == 7)
        try await s.settle(a, b)
        try await s.expect("Note 1 body 'B's body + A's body' rank 7 title 'title'")
        #expect(seen.withLock { $0.count } == 1)
    }

    @Test(
        "a resolver and the summary see when both sides were saved, so that the later can win",
        arguments: [true, false])
    func dates(_ isLaterHere: Bool) async throws {
        let resolvers: ConflictResolvers = [
            "Note": { conflict in
                let (here, there) = (conflict.localDate ?? .distantPast, conflict.serverDate ?? .distantPast)
                return here > there ? .clientWins : .serverWins
            }
        ]
        let (a, b) = try s.pair([.syncConflictResolvers: resolvers])
        let id = try await a.add(["title": "T"], number: 1)
        try await s.settle()
        if !isLaterHere { try await b.set(id, ["title": "B"]) }
        try await s.clock.sleep(milliseconds: 60_000)
        try await a.set(id, ["title": "A"])
        try await a.sync.sync()
        try await s.clock.sleep(milliseconds: 60_000)
        if isLaterHere { try await b.set(id, ["title": "B"]) }
        // Saved later, and not in conflict.
        try await b.set(id, ["rank": 3])
        let conflict = try #require(try await b.sync.sync().conflicts.first)
        let (here, there) = try (#require(conflict.localDate), #require(conflict.serverDate))
        #expect((here > there) == isLaterHere && conflict.winner == (isLaterHere ? .client : .server))
        #expect(abs(here.timeIntervalSince(there)) > 55)
        try await s.settle()
        #expect(try await a.titles() == [isLaterHere ? "B" : "A"])
    }

    @Test("a deletion here against an edit there tells when both were made")
    func deletionDates() async throws {
        let (a, b) = try s.pair(policy: .serverWins)
        let id = try await a.add(["title": "T"], number: 1)
        try await s.settle()
        try await b.delete(id)
        try await s.clock.sleep(milliseconds: 60_000)
        try await a.set(id, ["title": "A"])
        try await a.sync.sync()
        let conflict = try #require(try await b.sync.sync().conflicts.first)
        #expect(conflict.kind == .deletedHereEditedThere)
        let (here, there) = try (#require(conflict.localDate), #require(conflict.serverDate))
        #expect(there.timeIntervalSince(here) > 55)
    }

    @Test("properties with resolvers of their own, the entity's for the rest, the policy where it says so")
    func parts() async throws {
        let asked = Locked<[String]>([])
        let resolvers: ConflictResolvers = [
            "Note.title": { conflict in
                asked.withLock { $0.append("title: \(conflict.keys)") }
                return .clientWins
            },
            "Note": { conflict in
                asked.withLock { $0.append("note: \(conflict.keys)") }
                return .values(["rank": 99])
            },
        ]
        let (a, b, _) = try await quarrel(resolvers) { note, who in
            note.title = "\(who)'s title"
            note.body = "\(who)'s body"
            note.rank = who == "A" ? 1 : 2
        }
        let summary = try await b.sync.sync()
        #expect(asked.withLock { $0.sorted() } == ["note: [\"body\", \"rank\"]", "title: [\"title\"]"])
        let winners = Dictionary(summary.conflicts.map { ($0.winner, $0.keys) }, uniquingKeysWith: +)
        #expect(winners == [.client: ["title"], .server: ["body"], .resolver: ["rank"]])
        try await s.settle(a, b)
        try await s.expect("Note 1 body 'A's body' rank 99 title 'B's title'")
    }

    @Test("deletions are decided too, either way", arguments: [true, false], [true, false])
    func deletions(isDeletedHere: Bool, clientWins: Bool) async throws {
        let seen = Locked<[ConflictToResolve]>([])
        let resolvers: ConflictResolvers = [
            "Note": { conflict in
                seen.withLock { $0.append(conflict) }
                return clientWins ? .clientWins : .serverWins
            }
        ]
        let a = try s.device(), b = try s.device(nil, [.syncConflictResolvers: resolvers])
        let id = try await a.addNote("title")
        try await s.settle(a, b)
        let (deleter, editor) = isDeletedHere ? (b, a) : (a, b)
        try await deleter.delete(id)
        try await editor.change(id) { note, _ in note.title = "edited" }
        try await a.sync.sync()
        let summary = try await b.sync.sync()
        let kind: SyncConflict.Kind = isDeletedHere ? .deletedHereEditedThere : .editedHereDeletedThere
        #expect(summary.conflicts.map(\.kind) == [kind])
        #expect(summary.conflicts.map(\.winner) == [clientWins ? .client : .server])
        let conflict = try #require(seen.withLock { $0 }.first)
        #expect(conflict.local["title"] == (isDeletedHere ? nil : "edited"))
        #expect(conflict.server["title"] == (isDeletedHere ? "edited" : nil))
        try await s.settle(a, b)
        #expect(try await a.titles() == (isDeletedHere == clientWins ? [] : ["edited"]))
    }

    @Test(
        "a resolver that throws loses nothing: its object waits on both sides, listed with the reason; the rest goes on"
    )
    func throwing() async throws {
        struct NoIdea: Error {}
        let isMended = Locked(false)
        let resolvers: ConflictResolvers = [
            "Note": { _ in
                guard isMended.withLock({ $0 }) else { throw NoIdea() }
                return .clientWins
            }
        ]
        let (a, b, id) = try await quarrel(resolvers) { note, who in note.title = "\(who)'s title" }
        let other = try await b.addNote("other")
        let summary = try await b.sync.sync()
        #expect(summary.blocked.map(\.objectID) == [id])
        #expect(summary.conflicts.isEmpty && summary.sent == 1)
        let blocked = try await b.sync.blocked.changes()
        #expect(blocked.first?.reason.contains("NoIdea") == true)
        #expect(try await b.titles() == ["B's title", "other"])
        #expect(try await s.zone().record(id)?.value("title") == .string("A's title"))
        #expect(try await s.zone().record(other) != nil)
        // It stays so until a call mends it.
        #expect(try await b.sync.sync().blocked.map(\.objectID) == [id])
        #expect(try await b.sync.status.blockedCount == 1)
        isMended.withLock { $0 = true }
        try await b.sync.blocked.retry()
        try await s.settle(b, a)
        #expect(try await a.titles() == ["B's title", "other"])
        #expect(try await b.sync.blocked.changes().isEmpty)
    }

    @Test("a conflict that a resolver could not decide can be given up: the object becomes what the server has")
    func givenUp() async throws {
        struct NoIdea: Error {}
        let (a, b, id) = try await quarrel(["Note": { _ in throw NoIdea() }]) { note, who in
            note.title = "\(who)'s title"
        }
        try await b.sync.sync()
        try await b.sync.blocked.discard([id])
        #expect(try await b.titles() == ["A's title"])
        try await s.settle(b, a)
    }

    @Test(
        "values that cannot be are refused by name",
        arguments: [
            (["title": .int(3)], "title is string"), (["body": "other"], "body, which is not in conflict"),
            (["nothing": "x"], "nothing, which is not in conflict"),
        ] as [([String: Value], String)])
    func badValues(_ values: [String: Value], _ reason: String) async throws {
        let (_, b, id) = try await quarrel(["Note": { _ in .values(values) }]) { note, who in
            note.title = "\(who)'s title"
        }
        try await b.sync.sync()
        let blocked = try await b.sync.blocked.changes()
        #expect(blocked.map(\.objectID) == [id])
        #expect(blocked.first?.reason.contains(reason) == true, "\(blocked)")
        #expect(try await b.titles() == ["B's title"])
    }

    @Test("the store is free while a resolver thinks; an object that changed meanwhile is asked about anew")
    func changedMeanwhile() async throws {
        let device = Locked<SyncDevice?>(nil)
        let seen = Locked<[Value?]>([])
        let resolvers: ConflictResolvers = [
            "Note.title": { conflict in
                let count = seen.withLock { seen in
                    seen.append(conflict.local["title"])
                    return seen.count
                }
                if count <= 2 {
                    try await device.withLock { $0 }?.change(conflict.objectID) { note, _ in
                        note.title = "edit \(count)"
                    }
                }
                return .values(["title": .string("merged of \(text(conflict.local["title"]))")])
            }
        ]
        let (a, b, _) = try await quarrel(resolvers) { note, who in note.title = "\(who)'s title" }
        device.withLock { $0 = b }
        try await b.sync.sync()
        #expect(seen.withLock { $0 } == ["B's title", "edit 1", "edit 2"])
        try await s.settle(b, a)
        #expect(try await a.titles() == ["merged of edit 2"])
    }

    @Test("an object that changes whenever its conflict is thought about waits; the cycle ends, the rest goes on")
    func changesForEver() async throws {
        let device = Locked<SyncDevice?>(nil)
        let calls = Locked(0)
        let isCalm = Locked(false)
        let resolvers: ConflictResolvers = [
            "Note.title": { conflict in
                let count = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                if !isCalm.withLock({ $0 }) {
                    try await device.withLock { $0 }?.change(conflict.objectID) { note, _ in
                        note.title = "edit \(count)"
                    }
                }
                return .clientWins
            }
        ]
        let (a, b, id) = try await quarrel(resolvers) { note, who in note.title = "\(who)'s title" }
        device.withLock { $0 = b }
        let other = try await b.addNote("other")
        let summary = try await b.sync.sync()
        #expect(summary.deferred == 1 && summary.sent == 1)
        #expect(try await s.zone().record(other) != nil)
        #expect(try await s.zone().record(id)?.value("title") == .string("A's title"))
        #expect(try await b.sync.status.pendingCount == 1)
        #expect(calls.withLock { $0 } <= 40)
        isCalm.withLock { $0 = true }
        try await s.settle(b, a)
        #expect(try await a.titles().contains { $0.hasPrefix("edit ") })
        #expect(try await b.sync.status.pendingCount == 0)
    }

    @Test("a conflict that only the push meets is decided by the resolver too")
    func inPush() async throws {
        let (a, b, _) = try await quarrel(["Note.title": { _ in .values(["title": "merged"]) }], firstSyncs: false) {
            $0.title = "\($1)'s title"
        }
        try await s.atNextPush { try await a.sync.sync() }
        let summary = try await b.sync.sync()
        #expect(summary.conflicts.map(\.winner) == [.resolver])
        try await s.settle(a, b)
        #expect(try await a.titles() == ["merged"])
    }

    /// Two devices that have edited one note each. The first has synced, and the second has the resolvers.
    private func quarrel(
        _ resolvers: ConflictResolvers, firstSyncs: Bool = true, _ edit: @escaping @Sendable (TestNote, String) -> Void
    ) async throws -> (SyncDevice, SyncDevice, ObjectID) {
        let a = try s.device(), b = try s.device(nil, [.syncConflictResolvers: resolvers])
        let id = try await a.add(["title": "title", "body": "body", "rank": 0], number: 1)
        try await s.settle(a, b)
        try await a.change(id) { note, _ in edit(note, "A") }
        try await b.change(id) { note, _ in edit(note, "B") }
        if firstSyncs { try await a.sync.sync() }
        return (a, b, id)
    }
}

private func text(_ value: Value?) -> String {
    if case .string(let text) = value { text } else { "nothing" }
}
