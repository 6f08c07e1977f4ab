import Backstitch

/// A second account of the outbox rules, told from the whole log at the end instead of step by step.
struct NaiveOutbox {
    enum Operation: CaseIterable {
        case insert, setFirst, setSecond, delete
    }

    static let names = ["first", "second"]

    /// Whether the object is on the server, and here, before the log.
    let isSynced: Bool
    /// The number of the newest transaction whose insert may have been sent.
    let attempted: Int64

    /// One stretch of the log between an insert (or the start) and a delete (or the end).
    private struct Life {
        var insert: Int64?
        var sets: [(number: Int64, field: Int, before: Value)] = []
        var delete: Int64?
        var columns: [Value]
    }

    /// Whether the log can happen: only an existing object can be changed, and only a missing one can be inserted.
    static func isPossible(_ log: [Operation], isSynced: Bool) -> Bool {
        var isThere = isSynced
        return log.allSatisfy { operation in
            defer { isThere = operation == .insert ? true : operation == .delete ? false : isThere }
            return (operation == .insert) != isThere
        }
    }

    /// The value that operation `number` of a log writes.
    static func value(_ number: Int64) -> Value { .int(number * 10) }

    /// The object's entry after the log, whose operations are transactions 1, 2, ….
    func entry(of id: ObjectID, after log: [Operation]) -> OutboxEntry? {
        var entry: OutboxEntry?
        var isKnown = isSynced
        for life in lives(log) {
            let isFresh = life.insert != nil && !isKnown
            // Whether the server may have heard of the object by the end of this life.
            let isHeard = !isFresh || (life.insert ?? 0) <= attempted
            entry = self.entry(of: id, life, isFresh: isFresh, isHeard: isHeard, former: entry)
            if isHeard { isKnown = true }
        }
        return entry
    }

    private func entry(
        of id: ObjectID, _ life: Life, isFresh: Bool, isHeard: Bool, former: OutboxEntry?
    ) -> OutboxEntry? {
        let first = life.insert ?? former?.firstSequence ?? life.sets.first?.number ?? life.delete
        guard let first else { return former }
        // The server's value. For an object inserted again, the value that the deletion kept.
        let isWhole = life.insert != nil && !isFresh
        func base(_ index: Int, _ name: String) -> OutboxEntry.Base {
            if isWhole { return former?.fields.first { $0.name == name }?.base ?? .value(.null) }
            return .value(life.sets.first { $0.field == index }?.before ?? life.columns[index])
        }
        if let delete = life.delete {
            guard isHeard else { return nil }
            let fields = Self.names.enumerated().map { index, name in
                OutboxEntry.Field(name: name, sequence: delete, base: base(index, name).digested)
            }
            return OutboxEntry(objectID: id, kind: .delete, sequence: delete, firstSequence: first, fields: fields)
        }
        var fields: [OutboxEntry.Field] = []
        for (index, name) in Self.names.enumerated() {
            if let last = life.sets.last(where: { $0.field == index }) {
                fields.append(.init(name: name, sequence: last.number, base: base(index, name)))
            } else if let insert = life.insert, !isFresh {
                fields.append(.init(name: name, sequence: insert, base: base(index, name)))
            }
        }
        return OutboxEntry(
            objectID: id, kind: isFresh ? .insert : .update,
            sequence: life.sets.last?.number ?? first, firstSequence: first, fields: fields)
    }

    private func lives(_ log: [Operation]) -> [Life] {
        var lives: [Life] = isSynced ? [Life(columns: [.int(-1), .int(-2)])] : []
        for (index, operation) in log.enumerated() {
            let number = Int64(index + 1)
            let last = lives.count - 1
            switch operation {
            case .insert: lives.append(Life(insert: number, columns: [Self.value(number), Self.value(number)]))
            case .delete: lives[last].delete = number
            case .setFirst, .setSecond:
                let field = operation == .setFirst ? 0 : 1
                lives[last].sets.append((number, field, lives[last].columns[field]))
                lives[last].columns[field] = Self.value(number)
            }
        }
        return lives
    }

    /// All logs of up to `length` operations.
    static func logs(upTo length: Int) -> [[Operation]] {
        var all: [[Operation]] = [[]], newest: [[Operation]] = [[]]
        for _ in 0..<length {
            newest = newest.flatMap { log in Operation.allCases.map { log + [$0] } }
            all += newest
        }
        return all
    }
}
