/// One element of an answer about subscriptions.
public enum SubscriptionResult: Sendable, Hashable {
    /// The subscription as the server keeps it.
    case subscription(WireSubscription)
    /// The subscription is gone.
    case deleted(subscriptionID: String)
    /// The operation failed.
    case error(subscriptionID: String, WireError)
}

/// Body of the answers of `subscriptions/list`, `subscriptions/lookup` and `subscriptions/modify`.
public struct SubscriptionsResponse: Sendable, Hashable {
    /// The subscriptions; of a lookup or modification, in the order of the request.
    public var subscriptions: [SubscriptionResult]

    /// An answer.
    public init(subscriptions: [SubscriptionResult]) {
        self.subscriptions = subscriptions
    }
}

extension SubscriptionResult: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .subscription(let subscription): subscription.write(to: &writer)
        case .deleted(let id):
            writer.beginObject()
            writer.key("subscriptionID")
            writer.string(id)
            writer.key("deleted")
            writer.bool(true)
            writer.endObject()
        case .error(let id, let error):
            writer.beginObject()
            writer.key("subscriptionID")
            writer.string(id)
            error.writeKeys(to: &writer)
            writer.endObject()
        }
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> SubscriptionResult {
        var keys = SubscriptionKeys()
        var errorKeys = ErrorKeys()
        var deleted = false
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if try keys.read(key, from: &reader) { continue }
            switch key {
            case "deleted": deleted = try reader.readBoolOrNull() ?? false
            default: if try !errorKeys.read(key, from: &reader) { try reader.skip() }
            }
        }
        if let error = errorKeys.error { return .error(subscriptionID: keys.subscriptionID ?? "", error) }
        if deleted { return .deleted(subscriptionID: keys.subscriptionID ?? "") }
        return .subscription(try keys.subscription(from: reader))
    }
}

extension SubscriptionsResponse: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("subscriptions", subscriptions)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> SubscriptionsResponse {
        var response = SubscriptionsResponse(subscriptions: [])
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "subscriptions": response.subscriptions = try reader.readArray(of: SubscriptionResult.self)
            default: try reader.skip()
            }
        }
        return response
    }
}
