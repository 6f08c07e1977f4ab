import Backstitch
import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
package import NIOCore

/// The server without sockets and threads, in memory: a request is answered on the thread that asks. For the simulator,
/// which has one thread for everything.
package final class InlineZoneServer: Sendable {
    private let storage: SQLiteZoneStorage
    private let service: ZoneService
    private let responder: ZoneResponder

    /// A server with an empty storage.
    package convenience init(_ configuration: ZoneServerConfiguration) throws {
        try configuration.validate()
        self.init(
            storage: try SQLiteZoneStorage.inMemory(random: configuration.random), configuration: configuration)
    }

    /// A server with an empty storage, made of that of a server which was put away.
    package convenience init(_ configuration: ZoneServerConfiguration, remaking old: InlineZoneServer) throws {
        try configuration.validate()
        self.init(
            storage: try old.storage.remade(random: configuration.random), configuration: configuration)
    }

    private init(storage: SQLiteZoneStorage, configuration: ZoneServerConfiguration) {
        self.storage = storage
        service = ZoneService(storage: storage, configuration: configuration)
        responder = ZoneResponder(service: service, configuration: configuration)
    }

    /// The server after a restart: with what is stored, and nothing of what was in memory.
    package func restarted() -> InlineZoneServer {
        InlineZoneServer(storage: storage, configuration: responder.configuration)
    }

    /// Keeps what is stored now; what is given brings it back, as a power cut does with what was not acknowledged.
    package func wayBack() throws -> () throws -> Void { try storage.wayBack() }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - url: The whole address.
    ///   - channel: Stands for the connection.
    package func answer(
        _ method: String, _ url: String, headers: [(name: String, value: String)], body: [UInt8], channel: any Channel
    ) async throws -> InlineAnswer {
        try await BlockingWork.$runsInline.withValue(true) {
            let address = Address(url)
            var fields = HTTPFields()
            for header in headers {
                if let name = HTTPField.Name(header.name) { fields[name] = header.value }
            }
            if address.path == "/aps" { return try await poll(fields[.wireParameters] ?? String(address.query)) }
            let head = HTTPRequest(
                method: HTTPRequest.Method(method) ?? .get, scheme: "http", authority: address.authority,
                path: address.path + (address.query.isEmpty ? "" : "?\(address.query)"), headerFields: fields)
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
            let context = ZoneRequestContext(
                source: .init(channel: channel, logger: responder.configuration.logger))
            return try await InlineAnswer(try await responder.respond(to: request, context: context))
        }
    }

    /// The long poll, which elsewhere watches its connection as well.
    private func poll(_ parameters: String) async throws -> InlineAnswer {
        guard let token = QueryString(parameters)?["tok"] else { return InlineAnswer(status: 400) }
        let mailbox: PushTokenKey
        do { mailbox = try await service.openMailbox(token: token).key } catch let error as WireError {
            return try await InlineAnswer(.failure(error))
        }
        let notification = await service.hub.next(for: mailbox, milliseconds: 25_000)
        return InlineAnswer(status: 200, body: try notification?.wireJSON() ?? [])
    }

    /// Does what the server does once a minute.
    package func cleanUp() async throws {
        try await BlockingWork.$runsInline.withValue(true) { try await service.cleanUp() }
    }

    /// Makes all sync tokens invalid, as after a backup was restored.
    package func invalidateSyncTokens() async throws {
        try await BlockingWork.$runsInline.withValue(true) {
            try await storage.write { [random = service.random] in try $0.renewEpochs { random.identifier() } }
        }
    }

    /// Removes all tombstones, and makes invalid the sync tokens of those who may not know of them.
    package func makeRoom() async throws {
        try await BlockingWork.$runsInline.withValue(true) {
            try await storage.write { [random = service.random] writing in
                try (writing as? SQLiteTransaction)?.forgetTombstones()
                try writing.renewEpochs { random.identifier() }
            }
            try await service.cleanUp()
        }
    }

    /// Where a zone's feed stands; nil when there is no such zone.
    package func position(ofZone name: String, container: String) async throws -> FeedPosition? {
        try await BlockingWork.$runsInline.withValue(true) {
            try await storage.read { reading in
                guard let owner = try reading.owner(Self.database(container)),
                    let zone = try reading.zone(owner, named: name), zone.state == .live
                else { return nil }
                return FeedPosition(epoch: zone.epoch, sequence: zone.head)
            }
        }
    }

    /// The point in a zone's feed that a token stands for; nil for one that is none of this server.
    package func position(of token: String, zone: String, container: String) -> FeedPosition? {
        let feed = SyncToken.Feed(database: Self.database(container), zone: zone)
        guard let read = try? SyncToken.read(token, feed, service.signer) else { return nil }
        return FeedPosition(epoch: read.epoch, sequence: read.sequence)
    }

    /// Lets go of the storage's files. Tables in memory can go on in another server.
    package func putAway() throws { try storage.putAway() }

    private static func database(_ container: String) -> DatabaseKey {
        DatabaseKey(tenant: "\(container)/development", scope: .private, owner: Authenticator.developmentUser)
    }
}

/// A point in a zone's feed.
package struct FeedPosition: Sendable, Hashable {
    /// The life of the zone to which it belongs.
    package var epoch: Int64
    /// The last commit before it.
    package var sequence: Int64

    /// A point in a feed.
    package init(epoch: Int64, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

/// An answer of an ``InlineZoneServer``.
package struct InlineAnswer: Sendable {
    /// The status code.
    package var status: Int
    /// Names and values of headers.
    package var headers: [(name: String, value: String)] = []
    /// The whole body.
    package var body: [UInt8] = []

    init(status: Int, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

    init(_ response: Response) async throws {
        status = response.status.code
        headers = response.headers.map { ($0.name.canonicalName, $0.value) }
        let pieces = Pieces()
        try await response.body.write(pieces)
        body = pieces.bytes.withLock { $0 }
    }
}

/// Collects a body.
private final class Pieces: ResponseBodyWriter {
    let bytes = Locked<[UInt8]>([])

    func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// An address, taken apart.
private struct Address {
    let authority: String
    let path: String
    let query: Substring

    init(_ url: String) {
        let bytes = url.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.startIndex
        let rest = bytes[colon...].drop { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        authority = String(url[host.startIndex..<host.endIndex])
        let target = rest[host.endIndex...].prefix { $0 != UInt8(ascii: "?") }
        path = target.isEmpty ? "/" : String(url[target.startIndex..<target.endIndex])
        query = url[target.endIndex...].dropFirst()
    }
}
