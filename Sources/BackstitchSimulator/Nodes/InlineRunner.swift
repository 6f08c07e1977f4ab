import BackstitchServer
import Foundation
import GRDB
import Hummingbird
import NIOCore

/// Does a server's work where it is asked for: a world has one thread for everything.
struct InlineRunner: WorkRunner {
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value { try work() }

    func handle<Value: Sendable>(
        on threads: some TaskExecutor, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await body()
    }

    /// Without the guard against writing, whose every switch makes SQLite compile all statements anew.
    func read<Value: Sendable>(
        _ database: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try database.unsafeReentrantRead(body)
    }

    func write(_ database: any DatabaseWriter, _ work: @escaping @Sendable (Database) -> Void) {
        database.writeWithoutTransaction(work)
    }

    func content(
        of file: String, _ range: ClosedRange<Int>, _ context: some RequestContext
    ) async throws -> ResponseBody {
        let whole = try Data(contentsOf: URL(filePath: file))
        let start = whole.startIndex
        return ResponseBody(
            byteBuffer: ByteBuffer(bytes: whole[(start + range.lowerBound)...(start + range.upperBound)]))
    }
}
