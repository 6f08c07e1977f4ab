import Backstitch
import CLibPQ

/// A connection of the client library in pipeline mode: statements are queued, sent together, and answered in order.
///
/// It does its own waiting, so that a silent server is given up at the deadline. One thread uses it at a time.
final class PostgreSQLLink {
    private let connection: OpaquePointer
    private let secrets: ConnectionSecrets
    /// Whether the connection can no longer be used.
    private(set) var isBroken = false

    /// Connects to the server.
    ///
    /// - Throws: ``PostgreSQLFailure`` when the server is missing, refuses, or does not answer before the deadline.
    init(_ address: PostgreSQLAddress, until deadline: Deadline) throws {
        secrets = address.secrets
        let keywords = address.keywords
        let started = keywords.withCStrings { names, values in PQconnectStartParams(names, values, 0) }
        guard let connection = started else {
            throw PostgreSQLFailure(.unreachable, "there is no memory for a connection")
        }
        self.connection = connection
        do { try finishConnecting(until: deadline) } catch {
            PQfinish(connection)
            isBroken = true
            throw error
        }
    }

    deinit { if !isBroken { PQfinish(connection) } }

    /// The server's version: 150018 means 15.18.
    var serverVersion: Int { isBroken ? 0 : Int(PQserverVersion(connection)) }

    /// The encoding of the database.
    var serverEncoding: String {
        guard !isBroken, let text = PQparameterStatus(connection, "server_encoding") else { return "" }
        return String(cString: text)
    }

    /// The number of the server's process for this connection.
    var backendProcess: Int32 { isBroken ? 0 : PQbackendPID(connection) }

    /// Whether it is idle, outside any transaction.
    var isIdle: Bool { !isBroken && PQtransactionStatus(connection) == PQTRANS_IDLE }

    /// The descriptor to wait for; -1 when there is none.
    var socket: Int32 { isBroken ? -1 : PQsocket(connection) }

    /// The texts of the notifications that have arrived. They are then forgotten.
    @discardableResult
    func takeNotifications() -> [String] {
        var texts: [String] = []
        while !isBroken, let notification = PQnotifies(connection) {
            texts.append(notification.pointee.extra.map { String(cString: $0) } ?? "")
            PQfreemem(notification)
        }
        return texts
    }

    /// Closes the connection; a second call does nothing.
    func close() {
        guard !isBroken else { return }
        isBroken = true
        PQfinish(connection)
    }

    /// Whether an idle connection is still good. It looks only at data that has already arrived, and sends no query.
    func isAlive() -> Bool {
        guard !isBroken else { return false }
        // A server that ends a connection sends the reason first. One read returns its message, but not the end after
        // it.
        for _ in 0..<Self.mostReadings {
            guard case .ready = SocketWait.wait(PQsocket(connection), for: .reading, Deadline(seconds: 0)),
                PQconsumeInput(connection) != 0
            else { break }
        }
        return PQstatus(connection) == CONNECTION_OK
    }

    /// The most reads of arrived data. Without a limit, a server could block the caller by sending endlessly.
    private static let mostReadings = 4
}

extension PostgreSQLLink {
    /// Queues the preparation of a statement.
    func sendPreparation(_ name: String, _ text: String, _ types: [PostgreSQLType]) throws {
        try check(PQsendPrepare(living(), name, text, Int32(types.count), types.map(\.oid)))
    }

    /// Queues the run of a prepared statement.
    func send(prepared name: String, _ parameters: borrowing StatementParameters) throws {
        let connection = try living()
        try check(
            parameters.withPointers { count, _, values, lengths, formats in
                PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1)
            })
    }

    /// Queues a run of a statement that is not prepared.
    func send(_ text: String, _ parameters: borrowing StatementParameters) throws {
        let connection = try living()
        try check(
            parameters.withPointers { count, types, values, lengths, formats in
                PQsendQueryParams(connection, text, count, types, values, lengths, formats, 1)
            })
    }

    /// Ends the queue. The answers up to here can then be read.
    func sendSync() throws { try check(PQpipelineSync(living())) }

    /// Sends as much as the system takes at once, and reads arrived data, so that the server works while more is
    /// queued.
    func push() throws {
        if PQflush(try living()) < 0 { throw lost() }
    }

    /// Reads the next answer; nil at the end of a statement's answers.
    ///
    /// - Throws: ``PostgreSQLFailure`` of kind lost or silent. The link is then broken.
    func nextResult(until deadline: Deadline) throws -> PostgreSQLResult? {
        guard !isBroken else { throw lost() }
        try flush(until: deadline)
        while PQisBusy(connection) != 0 {
            try wait(for: .reading, deadline)
            guard PQconsumeInput(connection) != 0 else { throw lost() }
        }
        return PQgetResult(connection).map(PostgreSQLResult.init)
    }

    /// The failure in a result. If the server ended the connection with it, the link is broken from now on.
    func failure(of result: PostgreSQLResult) -> PostgreSQLFailure {
        let failure = result.failure(.refused, hiding: secrets)
        let hasLeft = failure.state.hasPrefix("57P0") || failure.state.hasPrefix("08")
        guard hasLeft || isBroken || PQstatus(connection) != CONNECTION_OK else { return failure }
        close()
        return PostgreSQLFailure(.lost, state: failure.state, failure.message)
    }

    /// The failure for an unexpected answer. The link is broken from now on.
    func malformed(_ what: String) -> PostgreSQLFailure {
        close()
        return PostgreSQLFailure(.malformed, what)
    }
}

extension PostgreSQLLink {
    /// Waits until the library has connected, then switches to pipeline mode.
    private func finishConnecting(until deadline: Deadline) throws {
        // The library keeps no SQLSTATE of a refused connection. In this form the message has it.
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        // An unrequested message must not reach the program's terminal.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        if PQstatus(connection) == CONNECTION_BAD { throw connectionFailure() }
        var status = PGRES_POLLING_WRITING
        while status != PGRES_POLLING_OK {
            switch status {
            case PGRES_POLLING_READING: try waitToConnect(for: .reading, deadline)
            case PGRES_POLLING_WRITING: try waitToConnect(for: .writing, deadline)
            default: throw connectionFailure()
            }
            status = PQconnectPoll(connection)
        }
        guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
            throw PostgreSQLFailure(.unreachable, "the connection cannot be put into pipeline mode")
        }
    }

    private func waitToConnect(for events: SocketWait.Events, _ deadline: Deadline) throws {
        guard case .ready = SocketWait.wait(PQsocket(connection), for: events, deadline) else {
            throw PostgreSQLFailure(.unreachable, "the server did not answer in time")
        }
    }

    /// The failure of an attempt to connect, with the library's message without secrets.
    private func connectionFailure() -> PostgreSQLFailure {
        let message = secrets.hidden(in: String(cString: PQerrorMessage(connection)))
        return PostgreSQLFailure(unreachableBecause: message)
    }

    /// Sends all queued bytes, and reads arrived data while the server is busy.
    func flush(until deadline: Deadline) throws {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may itself wait until its answers are read, before it reads more.
                let events = try wait(for: [.reading, .writing], deadline)
                if events.contains(.reading), PQconsumeInput(connection) == 0 { throw lost() }
            default: throw lost()
            }
        }
    }

    /// Waits until the socket is ready, and returns the operations that it is ready for.
    @discardableResult
    private func wait(for events: SocketWait.Events, _ deadline: Deadline) throws -> SocketWait.Events {
        switch SocketWait.wait(PQsocket(connection), for: events, deadline) {
        case .ready(let events): return events
        case .failed: throw lost()
        case .late:
            close()
            throw PostgreSQLFailure(.silent, "the server did not answer in time")
        }
    }

    /// The library's connection. It is freed when the link breaks.
    func living() throws -> OpaquePointer {
        guard !isBroken else { throw lost() }
        return connection
    }

    /// Throws if a call of the library has failed.
    func check(_ code: Int32) throws {
        if code != 1 { throw lost() }
    }

    /// The failure of a broken connection, with the library's message. The link is closed.
    func lost() -> PostgreSQLFailure {
        let message =
            isBroken ? "the connection is closed" : secrets.hidden(in: String(cString: PQerrorMessage(connection)))
        close()
        return PostgreSQLFailure(.lost, message)
    }
}
