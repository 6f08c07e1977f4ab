import Backstitch
package import BackstitchServer
import BackstitchSupport

/// A server of CloudKit Web Services that knows nothing of this project: written from the documents, with none of our
/// server's or codec's code, and strict about what it is sent. In memory, without sockets and time.
package final class PlainServer: Sendable {
    /// A request.
    package struct Request: Sendable {
        package var method: String
        /// The whole address.
        package var url: String
        package var body: [UInt8]
        /// The user whom a header names; nil where none does.
        package var user: String?

        package init(_ method: String, _ url: String, body: [UInt8] = [], user: String? = nil) {
            self.method = method
            self.url = url
            self.body = body
            self.user = user
        }
    }

    /// An answer.
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

    /// The user of requests that name none.
    package static let user = PlainState.user

    let state: Locked<PlainState>
    private let now: @Sendable () -> Int64

    /// A server that knows of nothing.
    ///
    /// - Parameters:
    ///   - address: Where clients reach it, without a slash at the end.
    ///   - token: The user's first web token; nil where everybody is the user.
    ///   - hasUsers: Whether each request has to have a web token, which is the name of its user.
    ///   - now: Milliseconds since 1970.
    package init(
        _ behavior: PlainBehavior = PlainBehavior(), address: String = "http://127.0.0.1:8080", token: String? = nil,
        hasUsers: Bool = false, now: @escaping @Sendable () -> Int64
    ) {
        state = Locked(PlainState(behavior, address: address, token: token, hasUsers: hasUsers))
        self.now = now
    }

    /// Answers at once. For the long poll an empty body means that there is nothing yet: whoever carries the answer
    /// waits, and asks again.
    package func answer(_ request: Request) -> Answer {
        let time = now()
        return state.withLock { $0.answer(request, at: time) }
    }

    /// Whether a record has a text in some form.
    func holds(_ search: SecretSearch) -> Bool {
        state.withLock { state in
            state.holdings.values.joined().contains { _, zone in
                zone.records.values.contains { search.isIn($0.fields.bytes) }
            }
        }
    }

    /// Sets the address at which clients reach it.
    package func setAddress(_ address: String) { state.withLock { $0.address = address } }

    // MARK: Behind everybody's back

    /// Deletes a zone, as another program of the user may.
    package func deleteZone(_ name: String) {
        state.withLock { $0.deleteZone(.init(owner: PlainState.user, zone: name)) }
    }

    /// Makes all change tokens invalid.
    package func expireTokens() { state.withLock { $0.expireTokens() } }

    /// Keeps what is known now; what is given brings it back.
    package func wayBack() -> () -> Void {
        let kept = state.withLock { $0 }
        return { [self] in state.withLock { $0 = kept } }
    }

    /// Makes the marks of all queries that are under way invalid.
    package func expireMarkers() { state.withLock { $0.expireMarkers() } }

    /// The records of the public database that are there, by name.
    package var publicRecords: [String: PlainJSON] {
        state.withLock { $0.fields(PlainState.everybody, PlainState.publicZone) }
    }

    /// Forgets all deletions, and makes invalid the tokens of those who may not know of them.
    package func forgetDeletions() {
        state.withLock { state in
            state.forgetDeletions()
            state.expireTokens()
        }
    }

    /// The web token that is good now.
    package var webToken: String? { state.withLock { $0.tokens.current } }

    /// Counts requests by their endpoints.
    package var counts: [String: Int] { state.withLock { $0.counts } }

    /// Counts operations on records that were refused with a code, but for ATOMIC_ERROR.
    package func count(ofFailures code: String) -> Int { state.withLock { $0.failures[code] ?? 0 } }

    /// The faults that were found in requests: endpoint and reason.
    package var refusals: [String] { state.withLock { $0.refusals } }

    /// The records of a zone that are there, by name.
    package func records(ofZone name: String, of owner: String = PlainServer.user) -> [String: PlainJSON] {
        state.withLock { $0.fields(owner, name) }
    }

    /// The parents of a zone's records that have one, by name.
    package func parents(ofZone name: String, of owner: String = PlainServer.user) -> [String: String] {
        state.withLock { $0.parents(owner, name) }
    }

    // MARK: For the simulator

    /// Where a zone's feed stands; nil when there is no such zone.
    package func position(ofZone name: String) -> FeedPosition? {
        state.withLock { state in
            let owner = name == PlainState.publicZone ? PlainState.everybody : PlainState.user
            let zone = state.holdings[owner]?[name]
            return zone.map { FeedPosition(epoch: $0.epoch, sequence: $0.head) }
        }
    }

    /// The point in a feed that a token stands for.
    package static func position(of token: String) -> FeedPosition? {
        PlainToken(token).map { FeedPosition(epoch: $0.epoch, sequence: $0.sequence) }
    }

    /// Whether a notification waits at an address of the long poll.
    package func hasNotification(at url: String) -> Bool { state.withLock { $0.hasNotification(at: url) } }
}
