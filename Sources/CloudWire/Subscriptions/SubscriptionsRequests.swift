/// Body of `subscriptions/lookup`.
public struct SubscriptionsLookupRequest: Sendable, Hashable {
    /// The subscriptions to look up.
    public var subscriptionIDs: [String]

    /// A request for some subscriptions.
    public init(subscriptionIDs: [String]) {
        self.subscriptionIDs = subscriptionIDs
    }
}

/// Body of `subscriptions/modify`.
public struct SubscriptionsModifyRequest: Sendable, Hashable {
    /// An operation on one subscription.
    public struct Operation: Sendable, Hashable {
        /// The three things that can be done.
        public enum Kind: String, Sendable, Hashable {
            /// Makes the subscription; the same one again is no error.
            case create
            /// Changes the subscription.
            case update
            /// Ends the subscription.
            case delete
        }

        /// The kind of operation.
        public var operationType: Kind
        /// The subscription; its ID is enough to delete it.
        public var subscription: WireSubscription

        /// An operation on a subscription.
        public init(_ operationType: Kind, _ subscription: WireSubscription) {
            self.operationType = operationType
            self.subscription = subscription
        }
    }

    /// The operations, in order.
    public var operations: [Operation]

    /// A request of some operations.
    public init(operations: [Operation]) {
        self.operations = operations
    }
}

extension SubscriptionsLookupRequest: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("subscriptions")
        writer.beginArray()
        for id in subscriptionIDs {
            writer.beginObject()
            writer.key("subscriptionID")
            writer.string(id)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> SubscriptionsLookupRequest {
        var ids: [String]?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "subscriptions":
                ids = try reader.readArray { (reader) throws(WireCodingError) in
                    var keys = SubscriptionKeys()
                    try reader.enterObject()
                    while let key = try reader.nextKey() {
                        if try !keys.read(key, from: &reader) { try reader.skip() }
                    }
                    guard let id = keys.subscriptionID else {
                        throw reader.wrongValue("a subscription to look up needs a subscriptionID")
                    }
                    return id
                }
            default: try reader.skip()
            }
        }
        guard let ids else { throw reader.wrongValue("subscriptions/lookup needs subscriptions") }
        return SubscriptionsLookupRequest(subscriptionIDs: ids)
    }
}

extension SubscriptionsModifyRequest.Operation: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("operationType")
        writer.string(operationType.rawValue)
        writer.key("subscription")
        subscription.write(to: &writer)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(
        from reader: inout JSONReader
    ) throws(WireCodingError) -> SubscriptionsModifyRequest.Operation {
        var kind: Kind?
        var keys: SubscriptionKeys?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "operationType": kind = try reader.readOperationType() ?? kind
            case "subscription":
                var read = SubscriptionKeys()
                try reader.enterObject()
                while let key = try reader.nextKey() {
                    if try !read.read(key, from: &reader) { try reader.skip() }
                }
                keys = read
            default: try reader.skip()
            }
        }
        guard let kind else { throw reader.lacksOperationType }
        guard let keys else { throw reader.wrongValue("an operation needs a subscription") }
        if kind == .delete, let id = keys.subscriptionID {
            // A deletion needs no more than the name, so the type may be missing.
            return .init(.delete, WireSubscription(subscriptionID: id, subscriptionType: .database))
        }
        return .init(kind, try keys.subscription(from: reader))
    }
}

extension SubscriptionsModifyRequest: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.array("operations", operations)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> SubscriptionsModifyRequest {
        SubscriptionsModifyRequest(operations: try reader.readOperations(for: .subscriptionsModify))
    }
}
