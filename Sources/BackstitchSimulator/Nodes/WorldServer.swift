import Backstitch
import BackstitchServer
import BackstitchSync
import NIOCore

/// The server of a world: this project's, or one that knows nothing of this project.
protocol WorldServer: AnyObject, Sendable {
    /// Answers a request.
    func answer(_ request: TransportRequest, channel: any Channel) async throws -> TransportResponse
    /// Keeps what is stored now; what is given brings it back, as a power cut does with what was not acknowledged.
    func wayBack() throws -> () throws -> Void
    /// Another server of the same storage, with nothing of what this one has in memory: beside it, or this one after a
    /// restart.
    func another() -> any WorldServer
    /// Looks for what others of the storage have changed.
    func lookAtNeighbours() async throws
    /// Does what the server does once a minute.
    func cleanUp() async throws
    /// Makes all change tokens invalid.
    func invalidateSyncTokens() async throws
    /// Forgets all deletions, and makes invalid the tokens of those who may not know of them.
    func makeRoom() async throws
    /// Where a zone's feed stands; nil when there is no such zone.
    func position(ofZone name: String, container: String) async throws -> FeedPosition?
    /// The point in a zone's feed that a token stands for, of the owner or of a guest.
    func position(of token: String, zone: String, container: String, guest: String?) -> FeedPosition?
    /// The parents of a zone's records that have one, by name; nil where the relationships of objects say the same.
    func parents(ofZone name: String) -> [String: String]?
    /// Whether it has stored a text in some form.
    func holds(_ search: SecretSearch) throws -> Bool
}

extension InlineZoneServer: WorldServer {
    func answer(_ request: TransportRequest, channel: any Channel) async throws -> TransportResponse {
        let answer = try await answer(
            request.method, request.url, headers: request.headers, body: request.body, channel: channel)
        return TransportResponse(
            status: answer.status, headers: answer.headers.map { (name: $0.name, value: $0.value) }, body: answer.body)
    }

    func another() -> any WorldServer { beside() }
    func parents(ofZone name: String) -> [String: String]? { nil }
}

/// A plain server in a world.
final class PlainWorldServer: WorldServer {
    private let server: PlainServer
    private let clock: SimulatedClock

    init(_ behavior: PlainBehavior, clock: SimulatedClock) {
        self.clock = clock
        server = PlainServer(behavior) { clock.milliseconds() }
    }

    func answer(_ request: TransportRequest, channel: any Channel) async throws -> TransportResponse {
        let bearer = request.headers.first { $0.name == "Authorization" }?.value
        let asked = PlainServer.Request(
            request.method, request.url, body: request.body, user: bearer.map { String($0.dropFirst("Bearer ".count)) })
        var waited: Int64 = 0
        while request.url.contains("/aps?"), waited < 25_000, !server.hasNotification(at: request.url) {
            try await clock.sleep(milliseconds: 5_000)
            waited += 5_000
        }
        let answer = server.answer(asked)
        return TransportResponse(status: answer.status, headers: answer.headers, body: answer.body)
    }

    /// It keeps all that it knows, and there is one of them in a world.
    func another() -> any WorldServer { self }
    func lookAtNeighbours() async throws {}
    func wayBack() throws -> () throws -> Void { server.wayBack() }
    func cleanUp() async throws {}
    func invalidateSyncTokens() async throws {
        server.expireTokens()
        server.expireMarkers()
    }
    func makeRoom() async throws { server.forgetDeletions() }

    func position(ofZone name: String, container: String) async throws -> FeedPosition? {
        server.position(ofZone: name)
    }

    func position(of token: String, zone: String, container: String, guest: String?) -> FeedPosition? {
        PlainServer.position(of: token)
    }

    func parents(ofZone name: String) -> [String: String]? { server.parents(ofZone: name) }
    func holds(_ search: SecretSearch) -> Bool { server.holds(search) }
}
