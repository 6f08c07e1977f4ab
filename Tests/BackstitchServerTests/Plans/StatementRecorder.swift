import BackstitchSQL
import BackstitchSupport

/// A statement that a storage has carried out.
struct RecordedStatement: Sendable {
    /// With the parameters of its first run; those of a bulk statement are left out.
    var statement: SQLStatement
    var isBulk: Bool
}

/// Gathers each distinct statement that a storage carries out through a ``RecordingDatabase``.
final class StatementRecorder: Sendable {
    private struct State {
        var isOn = true
        var statements: [String: RecordedStatement] = [:]
        var rows = 0
        var transactions: [Transaction] = []
    }

    /// A transaction that writes.
    struct Transaction: Sendable {
        /// The changed rows, without those of triggers.
        var changes = 0
        /// The time until the commit begins.
        var time = Duration.zero
        /// The processor time of this process until then.
        var work = Duration.zero
    }

    private let state = Locked(State())

    /// The statements, by their texts.
    var statements: [RecordedStatement] {
        state.withLock { $0.statements.values.sorted { $0.statement.text < $1.statement.text } }
    }

    /// How many rows queries have given since the last call.
    func takeRows() -> Int {
        state.withLock { state in
            defer { state.rows = 0 }
            return state.rows
        }
    }

    func noteRow() { state.withLock { $0.rows += 1 } }

    /// The transactions since the last call. It is for writers that do not write at the same time.
    func takeTransactions() -> [Transaction] {
        state.withLock { state in
            defer { state.transactions = [] }
            return state.transactions
        }
    }

    func beginTransaction() { state.withLock { $0.transactions.append(Transaction()) } }

    func endTransaction(since start: ContinuousClock.Instant, work: Duration) {
        state.withLock { state in
            guard !state.transactions.isEmpty else { return }
            state.transactions[state.transactions.count - 1].time = ContinuousClock.now - start
            state.transactions[state.transactions.count - 1].work = work
        }
    }

    func noteChanges(_ count: Int) {
        state.withLock { state in
            guard !state.transactions.isEmpty else { return }
            state.transactions[state.transactions.count - 1].changes += count
        }
    }

    /// Stops to record.
    func stop() { state.withLock { $0.isOn = false } }

    func note(_ statement: SQLStatement) {
        // Those of the schema's steps and of the catalog are no statements of requests.
        if statement.isAdHoc { return }
        note(RecordedStatement(statement: statement, isBulk: false))
    }

    func note(_ statement: SQLBulkStatement, _ dialect: any SQLDialect) {
        note(RecordedStatement(statement: SQLStatement(dialect, statement.text), isBulk: true))
    }

    private func note(_ recorded: RecordedStatement) {
        let text = recorded.statement.text
        guard ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(where: text.hasPrefix) else { return }
        state.withLock { state in
            if state.isOn, state.statements[text] == nil { state.statements[text] = recorded }
        }
    }
}
