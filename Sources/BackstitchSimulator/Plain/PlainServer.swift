import Backstitch
package import BackstitchServer
import BackstitchSupport

/// An independent server of CloudKit Web Services. It was written from the documents, without code of this project's
/// server or codec, and checks requests strictly. It runs in memory, without sockets and without waiting.
package final class PlainServer: Sendable {
    /// A request of a client to the server.
    package struct Request: Sendable {
        package var method: String
        /// The whole address, with the query.
        package var url: String
        package var body: [UInt8]
        /// The user named in a header; nil without such a header.
        package var user: String?

        package init(_ method: String, _ url: String, body: [UInt8] = [], user: String? = nil) {
            self.method = method
            self.url = url
            self.body = body
            self.user = user
        }
    }

    /// An answer of the server to a client.
    package struct Answer: Sendable {
        package var status: Int
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]

        package init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// The user of requests without a user's name.
    package static let user = PlainState.user

    let state: Locked<PlainState>
    private let now: @Sendable () -> Int64

    /// Makes an empty server.
    ///
    /// - Parameters:
    ///   - address: The address for clients, without a slash at the end.
    ///   - token: The first web token of the user; nil to treat every caller as the user.
    ///   - hasUsers: Whether each request needs a web token, which is the name of its user.
    ///   - now: The time in milliseconds since 1970.
    package init(
        _ behavior: PlainBehavior = PlainBehavior(), address: String = "http://127.0.0.1:8080", token: String? = nil,
        hasUsers: Bool = false, now: @escaping @Sendable () -> Int64
    ) {
        state = Locked(PlainState(behavior, address: address, token: token, hasUsers: hasUsers))
        self.now = now
    }

    /// Answers at once. For the long poll an empty body means no news yet. The caller then waits and asks again.
    package func answer(_ request: Request) -> Answer {
        let time = now()
        return state.withLock { $0.answer(request, at: time) }
    }

    /// Whether a record contains a text, plain or within base64.
    func holds(_ search: SecretSearch) -> Bool {
        state.withLock { state in
            state.holdings.values.joined().contains { _, zone in
                zone.records.values.contains { search.isIn($0.fields.bytes) }
            }
        }
    }

    /// Sets the address at which clients reach it.
    package func setAddress(_ address: String) { state.withLock { $0.address = address } }

    // MARK: Changes without a client

    /// Deletes a zone, as another program of the user may.
    package func deleteZone(_ name: String) {
        state.withLock { $0.deleteZone(.init(owner: PlainState.user, zone: name)) }
    }

    /// Makes all change tokens invalid.
    package func expireTokens() { state.withLock { $0.expireTokens() } }

    /// Copies the present state. The returned closure restores it.
    package func wayBack() -> () -> Void {
        let kept = state.withLock { $0 }
        return { [self] in
            state.withLock { state in
                let behavior = state.behavior
                state = kept
                state.behavior = behavior
            }
        }
    }

    /// Lets every user change public records, or only their creator.
    package func set(everybodyWrites: Bool) { state.withLock { $0.behavior.everybodyWrites = everybodyWrites } }

    /// Makes the continuation markers of all running queries invalid.
    package func expireMarkers() { state.withLock { $0.expireMarkers() } }

    /// The existing records of the public database, by name.
    package var publicRecords: [String: PlainJSON] {
        state.withLock { $0.fields(PlainState.everybody, PlainState.publicZone) }
    }

    /// Forgets all deletions and makes invalid the tokens whose holders may not know of them.
    package func forgetDeletions() {
        state.withLock { state in
            state.forgetDeletions()
            state.expireTokens()
        }
    }

    /// The web token that is valid now.
    package var webToken: String? { state.withLock { $0.tokens.current } }

    /// The number of requests to each endpoint.
    package var counts: [String: Int] { state.withLock { $0.counts } }

    /// The number of record operations refused with a code, except ATOMIC_ERROR.
    package func count(ofFailures code: String) -> Int { state.withLock { $0.failures[code] ?? 0 } }

    /// The faults found in requests: endpoint and reason.
    package var refusals: [String] { state.withLock { $0.refusals } }

    /// The existing records of a zone, by name.
    package func records(ofZone name: String, of owner: String = PlainServer.user) -> [String: PlainJSON] {
        state.withLock { $0.fields(owner, name) }
    }

    /// The parent of each record in a zone that has one, by name.
    package func parents(ofZone name: String, of owner: String = PlainServer.user) -> [String: String] {
        state.withLock { $0.parents(owner, name) }
    }

    // MARK: For the simulator

    /// The present position of a zone's feed; nil when the zone does not exist.
    package func position(ofZone name: String) -> FeedPosition? {
        state.withLock { state in
            let owner = name == PlainState.publicZone ? PlainState.everybody : PlainState.user
            let zone = state.holdings[owner]?[name]
            return zone.map { FeedPosition(epoch: $0.epoch, sequence: $0.head) }
        }
    }

    /// The position in a feed of a token.
    package static func position(of token: String) -> FeedPosition? {
        PlainToken(token).map { FeedPosition(epoch: $0.epoch, sequence: $0.sequence) }
    }

    /// Whether a notification waits at an address of the long poll.
    package func hasNotification(at url: String) -> Bool { state.withLock { $0.hasNotification(at: url) } }
}
