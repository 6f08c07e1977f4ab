/// A wish to be told about changes.
public struct WireSubscription: Sendable, Hashable {
    /// The things that a subscription can watch.
    public enum Kind: String, Sendable, Hashable {
        /// Changes of one zone.
        case zone
        /// Changes of any custom zone of the database.
        case database
        /// Records that match a query; this project's server refuses it so far.
        case query
    }

    /// How a notification shows itself.
    public struct NotificationInfo: Sendable, Hashable {
        /// Wakes the app in the background.
        public var shouldSendContentAvailable: Bool?
        /// Changes the app's badge.
        public var shouldBadge: Bool?
        /// Text to show.
        public var alertBody: String?
        /// Sound to play.
        public var soundName: String?
        /// Category of the alert.
        public var category: String?

        /// A silent notification, unless more is set.
        public init(shouldSendContentAvailable: Bool? = true) {
            self.shouldSendContentAvailable = shouldSendContentAvailable
        }
    }

    /// Name of the subscription, unique for its user.
    public var subscriptionID: String
    /// The kind of thing that it watches.
    public var subscriptionType: Kind
    /// The zone, of a zone subscription.
    public var zoneID: ZoneID?
    /// How a notification shows itself.
    public var notificationInfo: NotificationInfo?

    /// A subscription with all its parts.
    public init(
        subscriptionID: String, subscriptionType: Kind, zoneID: ZoneID? = nil,
        notificationInfo: NotificationInfo? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.subscriptionType = subscriptionType
        self.zoneID = zoneID
        self.notificationInfo = notificationInfo
    }
}

extension WireSubscription.NotificationInfo: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optionalBool("shouldSendContentAvailable", shouldSendContentAvailable)
        writer.optionalBool("shouldBadge", shouldBadge)
        writer.optionalString("alertBody", alertBody)
        writer.optionalString("soundName", soundName)
        writer.optionalString("category", category)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(
        from reader: inout JSONReader
    ) throws(WireCodingError) -> WireSubscription.NotificationInfo {
        var info = WireSubscription.NotificationInfo(shouldSendContentAvailable: nil)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "shouldSendContentAvailable": info.shouldSendContentAvailable = try reader.readBoolOrNull()
            case "shouldBadge": info.shouldBadge = try reader.readBoolOrNull()
            case "alertBody": info.alertBody = try reader.readStringOrNull()
            case "soundName": info.soundName = try reader.readStringOrNull()
            case "category": info.category = try reader.readStringOrNull()
            default: try reader.skip()
            }
        }
        return info
    }
}

extension WireSubscription: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("subscriptionID")
        writer.string(subscriptionID)
        writer.key("subscriptionType")
        writer.string(subscriptionType.rawValue)
        writer.optional("zoneID", zoneID)
        writer.optional("notificationInfo", notificationInfo)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> WireSubscription {
        var keys = SubscriptionKeys()
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if try !keys.read(key, from: &reader) { try reader.skip() }
        }
        return try keys.subscription(from: reader)
    }
}

/// The keys of a subscription, met among the keys of an item.
struct SubscriptionKeys {
    var subscriptionID: String?
    private var kind: WireSubscription.Kind?
    private var zoneID: ZoneID?
    private var notificationInfo: WireSubscription.NotificationInfo?

    mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(WireCodingError) -> Bool {
        switch key {
        case "subscriptionID": subscriptionID = try reader.readStringOrNull()
        case "subscriptionType":
            guard let text = try reader.readStringOrNull() else { return true }
            guard let known = WireSubscription.Kind(rawValue: text) else {
                throw reader.wrongValue("unknown subscriptionType '\(text)'")
            }
            kind = known
        case "zoneID": zoneID = try reader.readOrNull(ZoneID.self)
        case "notificationInfo":
            notificationInfo = try reader.readOrNull(WireSubscription.NotificationInfo.self)
        default: return false
        }
        return true
    }

    func subscription(from reader: borrowing JSONReader) throws(WireCodingError) -> WireSubscription {
        guard let kind else { throw reader.wrongValue("a subscription needs a subscriptionType") }
        return WireSubscription(
            subscriptionID: subscriptionID ?? "", subscriptionType: kind, zoneID: zoneID,
            notificationInfo: notificationInfo)
    }
}
