import Backstitch
import BackstitchServer
import BackstitchSync
import NIOCore

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

    /// Returns this server. It keeps all its state, and a world has only one of them.
    func another() -> any WorldServer { self }
    func another(everybodyWrites: Bool) -> any WorldServer {
        server.set(everybodyWrites: everybodyWrites)
        return self
    }
    func lookAtPeers() async throws {}
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
