import Backstitch
import BackstitchServer
import BackstitchSync
import NIOCore

/// The server of a world: this project's server, or an independent one.
protocol WorldServer: AnyObject, Sendable {
    /// Answers one request of a device.
    func answer(_ request: TransportRequest, channel: any Channel) async throws -> TransportResponse
    /// Copies the present content. The returned closure restores it, as a power cut does when later commits had not
    /// been acknowledged.
    func wayBack() throws -> () throws -> Void
    /// Another server of the same storage, without the memory of this one. It serves beside this one, or replaces it
    /// after a restart.
    func another() -> any WorldServer
    /// The same, with other rights in the public database.
    ///
    /// - Parameter everybodyWrites: Whether every user may change public records, not only their creator.
    func another(everybodyWrites: Bool) -> any WorldServer
    /// Looks for changes by the other servers of the storage.
    func lookAtPeers() async throws
    /// Runs the clean-up, which a real server runs once a minute.
    func cleanUp() async throws
    /// Makes all change tokens invalid.
    func invalidateSyncTokens() async throws
    /// Forgets all deletions and makes invalid the tokens whose holders may not know of them.
    func makeRoom() async throws
    /// The present position of a zone's feed; nil when the zone does not exist.
    func position(ofZone name: String, container: String) async throws -> FeedPosition?
    /// The position in a zone's feed of a token, of the owner or of a guest.
    func position(of token: String, zone: String, container: String, guest: String?) -> FeedPosition?
    /// The parent of each record in a zone that has one, by name; nil if the relationships of objects say the same.
    func parents(ofZone name: String) -> [String: String]?
    /// Whether it has stored a text, plain or within base64.
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
    func another(everybodyWrites: Bool) -> any WorldServer {
        beside(publicRoles: SimulatedServer.roles(everybodyWrites: everybodyWrites))
    }
    func parents(ofZone name: String) -> [String: String]? { nil }
}
