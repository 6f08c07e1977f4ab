import Backstitch
import BackstitchSQL

/// A database whose snapshots for reading can be held. Writes go on.
final class HeldDatabase<Base: SQLDatabase>: SQLDatabase {
    private let base: Base
    private let reads: HeldReads

    init(_ base: Base, _ reads: HeldReads) {
        self.base = base
        self.reads = reads
    }

    var name: String { base.name }
    var writerCount: Int { base.writerCount }
    var readerCount: Int { base.readerCount }
    var hasOtherWriters: Bool { base.hasOtherWriters }

    func read<Result>(isSnapshot: Bool, _ body: (Base.Connection) throws -> Result) throws -> Result {
        try reads.begin()
        return try base.read(isSnapshot: isSnapshot, body)
    }

    func look<Result>(_ body: (Base.Connection) throws -> Result) throws -> Result { try base.look(body) }

    func readOnce<Result>(_ body: (Base.Connection) throws -> Result) throws -> Result { try base.readOnce(body) }

    func readDurably<Result>(_ body: (Base.Connection) throws -> Result) throws -> Result {
        try base.readDurably(body)
    }

    func forEachBatch(
        of statement: SQLStatement, entity: ResolvedEntity, size: Int, _ body: (RowBatch) throws -> Void
    ) throws {
        try base.forEachBatch(of: statement, entity: entity, size: size, body)
    }

    func write<Result>(
        token: ObjectKey?, mayRepeat: Bool, _ body: (Base.Connection) throws -> Result, number: (Result) -> Int64?
    ) throws -> Result {
        try base.write(token: token, mayRepeat: mayRepeat, body, number: number)
    }

    func transact<Result>(_ body: (Base.Connection) throws -> Result) throws -> Result { try base.transact(body) }

    func mayPass(_ error: any Error) -> Bool { base.mayPass(error) }

    func isFull(_ error: any Error) -> Bool { base.isFull(error) }

    func makeNotifier(channel: String) throws -> (any SQLNotifier)? { try base.makeNotifier(channel: channel) }

    func close() throws { try base.close() }
}

extension SQLDatabase {
    func held(by reads: HeldReads) -> any SQLDatabase { HeldDatabase(self, reads) }
}
