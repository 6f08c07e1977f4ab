import BackstitchSQL
import BackstitchSQLite
import BackstitchServer
import CloudWire
import HTTPTypes
import Hummingbird
import NIOCore

/// The server without sockets and threads, in memory. It answers a request on the calling thread.
final class InlineZoneServer: Sendable {
    private let configuration: ZoneServerConfiguration
    private let database: SQLiteDatabase
    private let application: ZoneApplication

    /// Makes a server with an empty storage.
    ///
    /// - Parameter isShared: Whether further servers of the same storage will be made with ``beside()``.
    convenience init(_ configuration: ZoneServerConfiguration, isShared: Bool = false) throws {
        try self.init(configuration, database: ZoneApplication.databaseInMemory(), isShared: isShared)
    }

    /// Makes a server with an empty storage from a server that was put away. It reuses the tables and the prepared
    /// statements.
    convenience init(
        _ configuration: ZoneServerConfiguration, isShared: Bool, remaking old: InlineZoneServer
    ) throws {
        try old.empty()
        try self.init(configuration, database: old.database, isShared: isShared)
    }

    private convenience init(
        _ configuration: ZoneServerConfiguration, database: SQLiteDatabase, isShared: Bool
    ) throws {
        var configuration = configuration
        configuration.runner = InlineRunner()
        self.init(
            configuration, database, try ZoneApplication(configuration, inMemory: database, isShared: isShared))
    }

    private init(_ configuration: ZoneServerConfiguration, _ database: SQLiteDatabase, _ application: ZoneApplication) {
        self.configuration = configuration
        self.database = database
        self.application = application
    }

    /// Another server of the same storage. It serves beside this one, or replaces it after a restart.
    ///
    /// - Parameter roles: The roles of its public database; nil for the same.
    func beside(publicRoles roles: PublicRoles? = nil) -> InlineZoneServer {
        InlineZoneServer(configuration, database, application.another(publicRoles: roles))
    }

    /// Looks for changes by the other servers of the storage.
    func lookAtPeers() async throws { try await application.lookAtPeers() }

    /// Copies the present content. The returned closure restores it, as a power cut does when later commits had not
    /// been acknowledged.
    func wayBack() throws -> () throws -> Void {
        let copy = try database.copied()
        return { [database] in try database.become(copy) }
    }

    /// Answers one request of a device.
    ///
    /// - Parameter url: The whole address.
    /// - Parameter channel: Used as the connection of the request.
    func answer(
        _ method: String, _ url: String, headers: [(name: String, value: String)], body: [UInt8], channel: any Channel
    ) async throws -> InlineAnswer {
        let address = InlineAddress(url)
        var fields = HTTPFields()
        for header in headers {
            if let name = HTTPField.Name(header.name) { fields[name] = header.value }
        }
        if address.path == "/aps" {
            let hidden = HTTPField.Name(WireHeader.parameters).flatMap { fields[$0] }
            return try await poll(hidden ?? String(address.query))
        }
        let head = HTTPRequest(
            method: HTTPRequest.Method(method) ?? .get, scheme: "http", authority: address.authority,
            path: address.path + (address.query.isEmpty ? "" : "?\(address.query)"), headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
        return try await InlineAnswer(try await application.respond(to: request, on: channel))
    }

    /// Answers the long poll. Unlike in a real server, no connection is watched.
    private func poll(_ parameters: String) async throws -> InlineAnswer {
        guard let token = QueryString(parameters)?["tok"] else { return InlineAnswer(status: 400) }
        do {
            let notification = try await application.notification(forToken: token, milliseconds: 25_000)
            return InlineAnswer(status: 200, body: try notification?.wireJSON() ?? [])
        } catch let error as WireError {
            return try await InlineAnswer(ZoneApplication.answer(to: error))
        }
    }

    /// Does what the server does once a minute.
    func cleanUp() async throws { try await application.cleanUp() }

    /// Makes all sync tokens invalid, as after a backup was restored.
    func invalidateSyncTokens() async throws { try await application.invalidateSyncTokens() }

    /// Removes all tombstones and makes all sync tokens invalid, because their holders may not know of the deletions.
    func makeRoom() async throws {
        try forgetTombstones()
        try await application.invalidateSyncTokens()
        try await application.cleanUp()
    }

    /// The present position of a zone's feed; nil when the zone does not exist.
    func position(ofZone name: String, container: String) async throws -> FeedPosition? {
        try await application.position(ofZone: name, container: container)
    }

    /// The position in a zone's feed of a token; nil for a token that is not from this server.
    func position(of token: String, zone: String, container: String, guest: String?) -> FeedPosition? {
        application.position(of: token, zone: zone, container: container, guest: guest)
    }

    /// Removes the temporary files of the storage. Another server can reuse its tables.
    func putAway() throws { try application.removeTemporaryAssets() }

    /// Removes all tombstones, old or not. Earlier tokens must not be honoured after it.
    private func forgetTombstones() throws {
        try database.write { connection in
            _ = try connection.run(SQLStatement(connection.dialect, "DELETE FROM record WHERE deleted = 1"))
        }
    }

    private func empty() throws {
        try database.write { connection in
            func run(_ text: String) throws { try connection.run(SQLStatement(connection.dialect, text)) }
            try run("PRAGMA defer_foreign_keys = ON")
            for table in try Self.tables(connection) { try run("DELETE FROM \(table)") }
        }
    }

    /// Whether any column of any table contains a text, plain or within base64.
    func holds(_ search: SecretSearch) throws -> Bool {
        var isFound = false
        try database.write { connection in
            isFound = try Self.tables(connection).contains { table in
                let columns = try Self.texts(connection, "SELECT name FROM pragma_table_info('\(table)')")
                let query = "SELECT '' FROM \(table) WHERE \(search.condition(columns)) LIMIT 1"
                return try !Self.texts(connection, query).isEmpty
            }
        }
        return isFound
    }

    private static func tables(_ connection: any SQLConnection) throws -> [String] {
        try texts(
            connection,
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%'
            """)
    }

    private static func texts(_ connection: any SQLConnection, _ query: String) throws -> [String] {
        var texts: [String] = []
        try connection.forEachRow(of: SQLStatement(connection.dialect, query)) { texts.append($0.text(0)) }
        return texts
    }
}
