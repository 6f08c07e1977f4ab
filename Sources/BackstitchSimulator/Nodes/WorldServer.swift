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
