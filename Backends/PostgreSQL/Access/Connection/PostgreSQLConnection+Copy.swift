import Backstitch
import BackstitchSQL
import CLibPQ

extension PostgreSQLConnection {
    /// The number of bytes to encode before they are sent. The server works on them meanwhile.
    private static let copiedBytes = 128 << 10

    /// Writes new rows by a `COPY`, after all queued statements.
    ///
    /// - Throws: ``PostgreSQLFailure`` in the same way as a statement, ``BackstitchError/Code/invalidValue`` for a text
    ///   with a NUL character. The transaction, or its part since the last savepoint, must then be undone.
    func copy(_ statement: String, _ rows: RowBatch, _ positions: [Int]) throws {
        _ = try finish()
        let writer = CopyWriter(rows)
        var rest = positions[...]
        try link.copy(statement, until: { deadline }) { buffer in
            try rows.withArena { arena in
                while buffer.count < Self.copiedBytes, let row = rest.popFirst() {
                    try writer.write(row, arena: arena, to: &buffer)
                }
            }
            return !rest.isEmpty
        }
    }
}

extension PostgreSQLLink {
    /// Runs a `COPY … FROM STDIN (FORMAT binary)`. The queue must be empty. The connection leaves its pipeline mode for
    /// it, because a pipeline allows no `COPY`.
    ///
    /// - Parameter deadline: Returns the deadline for the next answer.
    /// - Parameter fill: Writes the next rows, and returns whether there are more. If it throws, the copy is cancelled.
    /// - Throws: ``PostgreSQLFailure``, and the error of `fill`.
    func copy(
        _ statement: String, until deadline: () -> Deadline, _ fill: (inout WireBuffer) throws -> Bool
    ) throws {
        guard PQexitPipelineMode(try living()) == 1 else { throw malformed("answers were left before a copy") }
        try check(PQsendQuery(living(), statement))
        guard let beginning = try nextResult(until: deadline()) else { throw malformed("a copy has no answer") }
        var problem: (any Error)?
        if beginning.status == PGRES_COPY_IN {
            do { try send(until: deadline, fill) } catch {
                if isBroken { throw error }
                problem = error
            }
            try end(problem == nil ? nil : "the rows cannot be written", until: deadline())
        } else {
            problem = failure(of: beginning)
        }
        // An error of the rows is more useful than the server's report of the cancelled copy.
        if let failure = try outcome(until: deadline()) { problem = problem ?? failure }
        guard PQenterPipelineMode(try living()) == 1 else { throw malformed("a copy did not end") }
        if let problem { throw problem }
    }

    /// Sends the header, all rows and the end of the stream.
    private func send(until deadline: () -> Deadline, _ fill: (inout WireBuffer) throws -> Bool) throws {
        var buffer = WireBuffer(capacity: 160 << 10)
        CopyWriter.writeHeader(to: &buffer)
        var isMore = true
        while isMore {
            isMore = try fill(&buffer)
            if !isMore { CopyWriter.writeEnd(to: &buffer) }
            try put(buffer.bytes, until: deadline())
            buffer.clear()
        }
    }

    /// Sends bytes, and waits while the socket cannot take them.
    private func put(_ bytes: UnsafeRawBufferPointer, until deadline: Deadline) throws {
        let start = bytes.bindMemory(to: CChar.self).baseAddress
        while true {
            switch PQputCopyData(try living(), start, Int32(truncatingIfNeeded: bytes.count)) {
            case 1: return try flush(until: deadline)
            case 0: try flush(until: deadline)
            default: throw lost()
            }
        }
    }

    /// Ends the copy, completely or with an error.
    ///
    /// - Parameter problem: The reason to cancel the copy; nil when it is complete.
    private func end(_ problem: String?, until deadline: Deadline) throws {
        while true {
            switch PQputCopyEnd(try living(), problem) {
            case 1: return
            case 0: try flush(until: deadline)
            default: throw lost()
            }
        }
    }

    /// Reads all answers, and returns the failure that they report.
    private func outcome(until deadline: Deadline) throws -> PostgreSQLFailure? {
        var found: PostgreSQLFailure?
        while let result = try nextResult(until: deadline) {
            switch result.status {
            case PGRES_COMMAND_OK: break
            case PGRES_FATAL_ERROR:
                let failure = failure(of: result)
                if failure.isDisconnection { throw failure }
                found = failure
            default: throw malformed("a copy is answered by the status \(result.status.rawValue)")
            }
        }
        return found
    }
}
