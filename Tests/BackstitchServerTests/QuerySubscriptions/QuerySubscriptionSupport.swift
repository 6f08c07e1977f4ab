import CloudWire
import NIOHTTP1
import TestSupport
import Testing

@testable import BackstitchServer

/// A user's device that waits for notifications.
struct WaitingDevice: Sendable {
    let client: TestClient
    let url: String

    init(_ client: TestClient) async throws {
        let made: PushToken = try await client.call(.tokensCreate, PushToken(apnsEnvironment: "development"))
        var copy = client
        copy.device = made.apnsToken
        self.client = copy
        url = try #require(made.webcourierURL)
    }

    /// The next notification as the server writes it; nil when none waits.
    func nextText(wait: Int = 0) async throws -> String? {
        let answer = try await client.send("\(url)&wait=\(wait)", method: .GET)
        guard answer.status == 200 else { throw try WireError(wireJSON: answer.body) }
        return answer.body.isEmpty ? nil : answer.text
    }

    func next(wait: Int = 0) async throws -> PushNotification? {
        try await nextText(wait: wait).map { try PushNotification(wireJSON: Array($0.utf8)) }
    }

    /// All notifications that wait.
    func all() async throws -> [PushNotification] {
        var all: [PushNotification] = []
        while let next = try await next(), all.count < 2_000 { all.append(next) }
        return all
    }

    /// The news that wait, each as `subscription change record`; `*` for news without a record.
    func news() async throws -> [String] { try await all().map(\.news) }
}

extension PushNotification {
    var news: String {
        guard case .record(let name, let change, _) = subject else { return "\(subscriptionID ?? "") \(subject)" }
        return "\(subscriptionID ?? "") \(change?.rawValue ?? "*") \(name ?? "*")"
    }
}

extension TestClient {
    /// The result of one operation on a subscription.
    func subscribe(
        _ subscription: WireSubscription, _ kind: SubscriptionsModifyRequest.Operation.Kind = .create
    ) async throws -> SubscriptionResult {
        let answer: SubscriptionsResponse = try await call(
            .subscriptionsModify, SubscriptionsModifyRequest(operations: [.init(kind, subscription)]))
        return try #require(answer.subscriptions.first)
    }

    /// Makes a subscription that must be taken.
    @discardableResult
    func mustSubscribe(
        _ subscription: WireSubscription, _ kind: SubscriptionsModifyRequest.Operation.Kind = .create
    ) async throws -> WireSubscription {
        let result = try await subscribe(subscription, kind)
        guard case .subscription(let kept) = result else { throw TestFailure("\(result)") }
        return kept
    }
}

extension SubscriptionResult {
    var error: WireError? { if case .error(_, let error) = self { error } else { nil } }
}

/// A wish to hear of records of the type `Item` in the zone of the tests.
func wish(
    _ id: String = "q", _ filters: [QueryFilter] = [], type: String = "Item", zone: String? = "Z",
    wide: Bool? = nil, on changes: [WireSubscription.Change]? = nil, once: Bool? = nil
) -> WireSubscription {
    WireSubscription(
        subscriptionID: id, query: RecordQuery(recordType: type, filterBy: filters),
        zoneID: zone.map { ZoneID(zoneName: $0) }, zoneWide: wide, firesOn: changes, firesOnce: once)
}
