import Backstitch
import BackstitchSQL
import BackstitchSQLite
import BackstitchTestKit
import Foundation

/// A store with history and outbox that saves, syncs and closes until the power is cut.
///
/// Under FULL it must hold each acknowledged transaction; under NORMAL those up to one of them. It must hold no half
/// transaction, in rows, outbox, history or metadata, and the bytes of every row that names some.
struct StoreScenario {
    private let disk: Disk
    private var random: SeededGenerator
    private let synchronous: String
    private let model: ResolvedModel
    private let item: ResolvedEntity
    private let generator: ObjectIDGenerator
    /// The states that the store must be in after each transaction, by its number.
    private var states = [State()]
    private var acknowledged = 0

    init(_ disk: Disk, _ random: SeededGenerator, synchronous: String) throws {
        self.disk = disk
        self.random = random
        self.synchronous = synchronous
        generator = ObjectIDGenerator(clock: VirtualClock(), random: random)
        model = try ResolvedModel(
            ManagedObjectModel([
                EntityDescription("Item", [.attribute("text", .string), .attribute("file", .binary, external: true)])
            ]))
        item = try model.requireEntity(named: "Item")
    }

    /// Some cuts, each after what the one before has left.
    mutating func live(_ tally: inout Tally) throws {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            tally.cuts += 1
            disk.cut(
                after: Int.random(in: 0..<(Int.random(in: 0..<5, using: &random) == 0 ? 2_000 : 250), using: &random))
            let before = acknowledged
            try workUntilCut()
            tally.acknowledged += acknowledged - before
            let left = try disk.leftOpen()
            guard left.isEmpty else { throw Wrong("left open: \(left)") }
            try disk.restore()
            tally.kept += try check()
        }
    }

    private mutating func workUntilCut() throws {
        do {
            while true {
                let store = try open()
                defer { try? store.close() }
                for _ in 0..<Int.random(in: 1...12, using: &random) { try step(store) }
                try store.close()
            }
        } catch {
            guard disk.isOff else { throw error }
        }
    }

    private func open() throws -> SQLiteStore {
        let options: [StoreOption: any Sendable] = [
            .sqliteSynchronous: synchronous, .sqliteFollowsOtherProcesses: false, .createsParentFolders: true,
        ]
        let checked = try StoreOptions(
            options, specifications: SQLiteStore.optionSpecifications(for: options) + OptionSpecification.common)
        return try SQLiteStore(
            StoreConfiguration(
                model: model, url: URL(fileURLWithPath: disk.folder).appending(path: "folder/store.sqlite"),
                options: checked, clock: VirtualClock(milliseconds: 1_700_000_000_000), generator: generator,
                keepsOutbox: true))
    }
}

// The operations, and the states that must follow from them.
extension StoreScenario {
    /// The content of a store.
    private struct State: Equatable {
        struct Row: Equatable {
            var text: String
            var file: Data?
        }
        struct Unsent: Equatable {
            var kind: OutboxEntry.Kind
            var sequence: Int64
        }
        var rows: [ObjectKey: Row] = [:]
        var outbox: [ObjectKey: Unsent] = [:]
        var token: Data?
    }

    private mutating func step(_ store: SQLiteStore) throws {
        if Int.random(in: 0..<6, using: &random) == 0 {
            // Rows that a power cut may bring back under NORMAL must still exist, with their bytes.
            _ = try store.collectAssets()
            return
        }
        var next = states[states.count - 1]
        let number = Int64(states.count)
        if Int.random(in: 0..<4, using: &random) == 0 {
            let news = try sync(&next, number)
            states.append(next)
            try store.writeJournal(author: "sync") { journal in
                try journal.upsert(news.rows)
                try journal.removeOutbox(news.sent)
                try journal.setMetadata(next.token, for: "token")
            }
        } else {
            let request = try save(&next, number, store)
            states.append(next)
            _ = try store.save(request)
        }
        acknowledged = Int(number)
    }

    /// Some inserts, changes and deletions.
    private mutating func save(_ next: inout State, _ number: Int64, _ store: SQLiteStore) throws -> SaveChangesRequest
    {
        var request = SaveChangesRequest(author: "user")
        var inserts = RowBatchBuilder(entity: item)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let key = generator.next()
            let row = row()
            next.rows[key] = row
            next.outbox[key] = .init(kind: .insert, sequence: number)
            append(key, 1, row, to: &inserts, store, &request.assets)
        }
        request.inserts = [inserts.finish()]
        let known = states[states.count - 1].rows.keys.sorted().shuffled(using: &random)
        let (changed, deleted) = (Array(known.prefix(2)), Array(known.dropFirst(2).prefix(1)))
        let stored = try store.rows(of: item, keys: changed)
        var rows = RowBatchBuilder(entity: item)
        for (index, key) in stored.keys.enumerated() {
            let row = row()
            next.rows[key] = row
            next.outbox[key] = .init(kind: next.outbox[key]?.kind ?? .update, sequence: number)
            append(key, stored.versions[index], row, to: &rows, store, &request.assets)
        }
        let batch = rows.finish()
        request.updates = [
            RowUpdate(rows: batch, originals: stored, changed: batch.keys.map { _ in PropertySet(0..<2) })
        ]
        request.deletes = [try store.rows(of: item, keys: deleted)]
        for key in deleted {
            next.rows[key] = nil
            // An object that was never sent is forgotten.
            let isUnknown = next.outbox[key]?.kind == .insert
            next.outbox[key] = isUnknown ? nil : .init(kind: .delete, sequence: number)
        }
        return request
    }

    /// Does the work of a page and an acknowledgement at once: rows from elsewhere, sent entries, a token.
    private mutating func sync(_ next: inout State, _ number: Int64) throws -> (rows: RowBatch, sent: [ObjectKey]) {
        var rows = RowBatchBuilder(entity: item)
        for _ in 0..<3 {
            let key = generator.next()
            let text = String(repeating: "s", count: Int.random(in: 0..<500, using: &random)) + "\(number)"
            next.rows[key] = .init(text: text, file: nil)
            rows.beginRow(key: key, version: 1)
            rows.append(string: text)
            rows.appendNull()
        }
        let sent = Array(next.outbox.keys.sorted().prefix(3))
        for key in sent { next.outbox[key] = nil }
        next.token = Data("\(number)".utf8)
        return (rows.finish(), sent)
    }

    private mutating func row() -> State.Row {
        let length = Int.random(in: 0..<(Int.random(in: 0..<8, using: &random) == 0 ? 60_000 : 400), using: &random)
        let text = String(repeating: "x", count: length) + "\(random.next())"
        // Some contents come again, and are there already.
        let content: Data? =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: nil
            case 1: Data("again \(Int.random(in: 0..<3, using: &random))".utf8)
            default:
                Data(
                    repeating: UInt8.random(in: 0...255, using: &random),
                    count: Int.random(in: 0..<3_000, using: &random))
            }
        return State.Row(text: text, file: content)
    }

    private func append(
        _ key: ObjectKey, _ version: Int64, _ row: State.Row, to rows: inout RowBatchBuilder, _ store: SQLiteStore,
        _ assets: inout AssetContents
    ) {
        rows.beginRow(key: key, version: version)
        rows.append(string: row.text)
        guard let file = row.file else { return rows.appendNull() }
        let reference = store.assets.reference(to: file)
        assets[reference] = .data(file)
        rows.append(.asset(reference))
    }
}

// The checks after a cut.
extension StoreScenario {
    /// Gives how many transactions are there that were not acknowledged.
    private mutating func check() throws -> Int {
        let store = try open()
        defer { try? store.close() }
        let (number, found, history) = try content(of: store)
        guard states.indices.contains(number) else { throw Wrong("transaction \(number) of \(states.count - 1)") }
        guard synchronous == "NORMAL" || number >= acknowledged else {
            throw Wrong("lost: \(number) transactions are there, \(acknowledged) were acknowledged")
        }
        guard found == states[number] else {
            throw Wrong("after transaction \(number) of \(states.count - 1) the store holds something else")
        }
        guard history == number else { throw Wrong("\(history) transactions in history, not \(number)") }
        let more = max(number - acknowledged, 0)
        states.removeSubrange((number + 1)...)
        acknowledged = number
        return more
    }

    private func content(of store: SQLiteStore) throws -> (number: Int, State, history: Int) {
        try store.readJournal { journal in
            var state = State()
            let rows = try journal.rows(of: item, keys: journal.allKeys(of: item))
            for row in 0..<rows.count {
                var file: Data?
                if case .asset(let reference) = rows.value(row, 1) {
                    file = try store.assets.read(reference)
                    if file == nil { throw Wrong("the bytes of \(rows.objectID(at: row)) are gone") }
                }
                state.rows[rows.keys[row]] = .init(text: rows.string(row, 0), file: file)
            }
            for entry in try journal.outbox(after: 0, limit: .max) {
                state.outbox[entry.objectID.key] = .init(kind: entry.kind, sequence: entry.sequence)
            }
            state.token = try journal.metadata(for: "token")
            return (
                Int(try journal.lastTransactionNumber()), state, try journal.history(after: 0, limit: .max).count
            )
        }
    }
}
