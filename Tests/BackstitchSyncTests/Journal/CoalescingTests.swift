import Backstitch
import BackstitchSQL
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("every short sequence of edits, cut anywhere by a push")
struct CoalescingTests {
    /// The other device's change before the push arrives.
    enum Remote: CaseIterable, Sendable { case nothing, update, delete }

    @Test(
        "device and server end equal, and as the policy says",
        arguments: ConflictResolutionPolicy.allCases)
    func enumerate(_ policy: ConflictResolutionPolicy) async throws {
        let count = try await onThread {
            var count = 0
            for isThere in [true, false] {
                for edits in Edit.sequences(upTo: 6, isThere: isThere) {
                    for cut in 0...edits.count {
                        for remote in Remote.allCases where remote == .nothing || isThere {
                            var bench = try Case(policy, isThere: isThere)
                            try bench.run(edits, cut: cut, remote: remote)
                            count += 1
                        }
                    }
                }
            }
            return count
        }
        print("counted: \(count) cases of coalescing with a push in flight, \(policy)")
    }
}

/// One thing that is done to the object.
private enum Edit: CaseIterable {
    case insert, setTitle, setBody, delete

    /// All valid sequences.
    static func sequences(upTo length: Int, isThere: Bool) -> [[Edit]] {
        guard length > 0 else { return [[]] }
        let next: [Edit] = isThere ? [.setTitle, .setBody, .delete] : [.insert]
        return [[]]
            + next.flatMap { edit in
                sequences(upTo: length - 1, isThere: edit != .delete).map { [edit] + $0 }
            }
    }
}

/// A device and a server with one note.
private struct Case {
    let store = MemoryJournalStore()
    let entity: ResolvedEntity
    let settings: ApplySettings
    let policy: ConflictResolutionPolicy
    let title: Int, body: Int
    let id = noteID(1)
    var server: (fields: [String: WireValue], tag: Int)?
    var wasDeleted = false
    var tags = 0
    var values = 0

    private static let model = Result { try SyncedModel(SyncTestModel.resolved()) }

    init(_ policy: ConflictResolutionPolicy, isThere: Bool) throws {
        let model = try Self.model.get()
        self.policy = policy
        entity = try model.model.requireEntity(named: "Note")
        title = try entity.requireProperty(named: "title").slot
        body = try entity.requireProperty(named: "body").slot
        settings = ApplySettings(
            model: model, zone: "Z", names: ZoneNames(main: "Z"), resolver: policy,
            excludedAssets: [], assets: store.assets)
        guard isThere else { return }
        server = (["title": .string("base title"), "body": .string("base body")], nextTag())
        store.journal.values[id.key] = row("base title", "base body")
        store.journal.states[id.key] = RecordState(objectID: id, changeTag: "1")
    }

    mutating func run(_ edits: [Edit], cut: Int, remote: CoalescingTests.Remote) throws {
        for edit in edits[..<cut] { try apply(edit) }
        let batch = try prepare()
        switch remote {
        case .nothing: break
        case .update:
            server?.fields["title"] = .string("remote title")
            let tag = nextTag()
            server?.tag = tag
        case .delete:
            server = nil
            wasDeleted = true
        }
        let reply = batch.map { self.answer($0) }
        for edit in edits[cut...] { try apply(edit) }
        if let batch, let reply { try settle(batch, reply) }
        let name = "\(edits), cut \(cut), \(remote), \(policy)"
        let own = store.journal.values[id.key].map { ($0[title], $0[body]) }
        for _ in 0..<2 {
            try push(name)
            try pull()
        }
        try push(name)
        let end = store.journal.values[id.key].map { "\($0[title].summary) \($0[body].summary)" }
        let there = server.map { "\(text($0.fields["title"])) \(text($0.fields["body"]))" }
        #expect(end == there, "\(name)")
        #expect(store.journal.entries.isEmpty, "\(name)")
        if remote == .nothing {
            #expect(end == own.map { "\($0.0.summary) \($0.1.summary)" }, "\(name)")
        } else if !edits.contains(.delete) {
            let expected = expectation(edits, remote)
            #expect(end == expected, "\(name)")
        }
    }

    /// Returns the expected outcome of edits without deletions against a change or deletion by another device.
    private func expectation(_ edits: [Edit], _ remote: CoalescingTests.Remote) -> String? {
        if remote == .delete {
            guard !edits.isEmpty, policy == .clientWins else { return nil }
        }
        var result = (remote == .update ? "remote title" : "base title", "base body")
        for (index, edit) in edits.enumerated() {
            if edit == .setBody { result.1 = "\(index + 1)" }
            if edit == .setTitle, remote != .update || policy == .clientWins { result.0 = "\(index + 1)" }
        }
        return "\(Value.string(result.0).summary) \(Value.string(result.1).summary)"
    }

    // MARK: The device

    private mutating func apply(_ edit: Edit) throws {
        let journal = store.journal
        journal.number += 1
        values += 1
        let attempted = try journal.value(of: .attempted) ?? 0
        let rules = OutboxCoalescing(transaction: journal.number, attempted: attempted)
        let new = Value.string("\(values)")
        let change: OutboxCoalescing.Change
        switch edit {
        case .insert:
            journal.values[id.key] = row("\(values)", nil)
            change = .inserted(columns: entity.columns.map(\.name))
        case .setTitle: change = .updated([("title", .value(journal.values[id.key]?[title] ?? .null))])
        case .setBody: change = .updated([("body", .value(journal.values[id.key]?[body] ?? .null))])
        case .delete:
            let content = entity.columns.map { column in
                (column.name, OutboxEntry.Base.value(journal.values[id.key]?[column.slot] ?? .null))
            }
            journal.values[id.key] = nil
            change = .deleted(content)
        }
        if edit == .setTitle { journal.values[id.key]?[title] = new }
        if edit == .setBody { journal.values[id.key]?[body] = new }
        journal.entries[id.key] = rules.entry(of: id, after: change, existing: journal.entries[id.key])
    }

    private func row(_ title: String, _ body: String?) -> [Value] {
        entity.columns.map { column in
            column.slot == self.title
                ? .string(title) : column.slot == self.body ? body.map(Value.string) ?? .null : .null
        }
    }

    private func prepare() throws -> PushBatch? {
        try BatchBuilder(
            model: settings.model, zone: "Z", storeIdentifier: store.identifier, limits: .standard,
            assets: store.assets
        ).prepare(from: store, ceiling: nil, excluding: []).batch
    }

    private func settle(_ batch: PushBatch, _ reply: PushReply) throws {
        let clock = VirtualClock()
        _ = try BatchSettler(settings: settings, clock: clock, time: SteadyTime(clock)).settle(batch, reply, in: store)
    }

    private mutating func push(_ name: String) throws {
        for _ in 0..<5 {
            guard let batch = try prepare() else { return }
            try settle(batch, answer(batch))
        }
        Issue.record("a push does not end: \(name)")
    }

    private mutating func pull() throws {
        let name = id.key.uuidString
        let news =
            server.map { record(1, "\($0.tag)", $0.fields.mapValues { $0 }) }
            ?? (wasDeleted ? WireRecord(recordName: name, deleted: true) : nil)
        let page = FetchedPage(
            base: try store.journal.value(of: .token), token: "\(nextTag())", moreComing: false,
            records: news.map { [$0] } ?? [])
        _ = try PageApplier(settings: settings, sweep: FullFetchTracker(), clock: VirtualClock()).apply(page, to: store)
    }

    // MARK: The server

    private mutating func nextTag() -> Int {
        tags += 1
        return tags
    }

    private mutating func answer(_ batch: PushBatch) -> PushReply {
        PushReply(answers: batch.items.map { answer($0.operation) })
    }

    private mutating func answer(_ operation: RecordOperation) -> PushReply.Answer {
        let given = operation.record.recordChangeTag
        switch operation.operationType {
        case .create:
            if let server { return .conflict(record(1, "\(server.tag)", server.fields.mapValues { $0 })) }
            server = (fields(operation).compactMapValues { $0 }, nextTag())
        case .update:
            guard let old = server else { return .conflict(nil) }
            guard given == "\(old.tag)" else { return .conflict(record(1, "\(old.tag)", old.fields.mapValues { $0 })) }
            var fields = old.fields
            for (name, value) in self.fields(operation) { fields[name] = value }
            server = (fields, nextTag())
        case .delete:
            guard let old = server else { return .done(changeTag: nil) }
            guard given == "\(old.tag)" else { return .conflict(record(1, "\(old.tag)", old.fields.mapValues { $0 })) }
            server = nil
            wasDeleted = true
        default:
            server = nil
            wasDeleted = true
        }
        return .done(changeTag: server.map { "\($0.tag)" })
    }

    /// The fields of an operation; those to be cleared are nil.
    private func fields(_ operation: RecordOperation) -> [String: WireValue?] {
        guard let encoded = operation.record.encodedFields, let read = try? WireRecord.Fields(json: encoded) else {
            return operation.record.fields
        }
        return read.values
    }

    private func text(_ value: WireValue?) -> String {
        if case .string(let text)? = value { Value.string(text).summary } else { Value.null.summary }
    }
}
