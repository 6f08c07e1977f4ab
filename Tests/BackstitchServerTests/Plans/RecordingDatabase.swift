import Backstitch
import BackstitchSQL
import TestSupport

/// A database that reports each statement to a recorder, and otherwise passes everything to the one below it.
final class RecordingDatabase<Base: SQLDatabase>: SQLDatabase {
    private let base: Base
    private let recorder: StatementRecorder

    init(_ base: Base, _ recorder: StatementRecorder) {
        self.base = base
        self.recorder = recorder
    }

    var name: String { base.name }
    var writerCount: Int { base.writerCount }
    var readerCount: Int { base.readerCount }
    var hasOtherWriters: Bool { base.hasOtherWriters }

    private func recording(_ connection: any SQLConnection) -> RecordingConnection {
        RecordingConnection(connection, recorder)
    }

    func read<Result>(isSnapshot: Bool, _ body: (RecordingConnection) throws -> Result) throws -> Result {
        try base.read(isSnapshot: isSnapshot) { try body(recording($0)) }
    }

    func look<Result>(_ body: (RecordingConnection) throws -> Result) throws -> Result {
        try base.look { try body(recording($0)) }
    }

    func readOnce<Result>(_ body: (RecordingConnection) throws -> Result) throws -> Result {
        try base.readOnce { try body(recording($0)) }
    }

    func readDurably<Result>(_ body: (RecordingConnection) throws -> Result) throws -> Result {
        try base.readDurably { try body(recording($0)) }
    }

    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        recorder.note(statement)
        try base.forEachBatch(of: statement, entity: entity, size: size, body)
    }

    func write<Result>(
        token: ObjectKey?, mayRepeat: Bool, _ body: (RecordingConnection) throws -> Result,
        number: (Result) -> Int64?
    ) throws -> Result {
        try base.write(token: token, mayRepeat: mayRepeat, { try body(recording($0)) }, number: number)
    }

    func transact<Result>(_ body: (RecordingConnection) throws -> Result) throws -> Result {
        let start = ContinuousClock.now
        return try base.transact { connection in
            recorder.beginTransaction()
            let before = threadTime()
            defer { recorder.endTransaction(since: start, work: threadTime() - before) }
            return try body(recording(connection))
        }
    }

    func mayPass(_ error: any Error) -> Bool { base.mayPass(error) }

    func isFull(_ error: any Error) -> Bool { base.isFull(error) }

    func makeNotifier(channel: String) throws -> (any SQLNotifier)? { try base.makeNotifier(channel: channel) }

    func close() throws { try base.close() }
}
