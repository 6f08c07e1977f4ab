/// A hint that something changed: the body of an answer of the long poll. Losing one must do no harm.
public struct PushNotification: Sendable, Hashable {
    /// The thing that changed.
    public enum Subject: Sendable, Hashable {
        /// A zone, seen by a zone subscription.
        case zone(ZoneID)
        /// Some custom zone, seen by a database subscription.
        case database
        /// A kind of notification that this version does not know.
        case unknown
    }

    /// The container of the change.
    public var container: String
    /// Names this notification; several subscriptions may share one.
    public var notificationID: String
    /// The user to whom it goes.
    public var userRecordName: String?
    /// The subscription that fired.
    public var subscriptionID: String?
    /// The thing that changed.
    public var subject: Subject
    /// 1 public, 2 private, 3 shared.
    public var databaseScope: Int

    /// A notification with all its parts.
    public init(
        container: String, notificationID: String, userRecordName: String?, subscriptionID: String?, subject: Subject,
        databaseScope: Int = 2
    ) {
        self.container = container
        self.notificationID = notificationID
        self.userRecordName = userRecordName
        self.subscriptionID = subscriptionID
        self.subject = subject
        self.databaseScope = databaseScope
    }
}

extension PushNotification: WireCodable {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("aps")
        writer.raw("{\"content-available\":1}".utf8)
        writer.key("ck")
        writer.beginObject()
        writer.key("ce")
        writer.int(2)
        writer.key("cid")
        writer.string(container)
        writer.key("nid")
        writer.string(notificationID)
        writer.optionalString("ckuserid", userRecordName)
        switch subject {
        case .zone(let zoneID):
            writer.key("fet")
            writeSubject(zoneID, to: &writer)
        case .database:
            writer.key("met")
            writeSubject(nil, to: &writer)
        case .unknown: break
        }
        writer.endObject()
        writer.endObject()
    }

    private func writeSubject(_ zoneID: ZoneID?, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.optionalString("sid", subscriptionID)
        writer.optionalString("zid", zoneID?.zoneName)
        writer.optionalString("zoid", zoneID?.ownerRecordName)
        writer.key("dbs")
        writer.int(databaseScope)
        writer.endObject()
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> PushNotification {
        var notification = PushNotification(
            container: "", notificationID: "", userRecordName: nil, subscriptionID: nil, subject: .unknown)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "ck": try notification.readDetails(from: &reader)
            default: try reader.skip()
            }
        }
        return notification
    }

    private mutating func readDetails(from reader: inout JSONReader) throws(WireCodingError) {
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "cid": container = try reader.readStringOrNull() ?? ""
            case "nid": notificationID = try reader.readStringOrNull() ?? ""
            case "ckuserid": userRecordName = try reader.readStringOrNull()
            case "fet", "met": try readSubject(from: &reader)
            default: try reader.skip()
            }
        }
    }

    private mutating func readSubject(from reader: inout JSONReader) throws(WireCodingError) {
        var zoneName: String?
        var owner: String?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "sid": subscriptionID = try reader.readStringOrNull()
            case "zid": zoneName = try reader.readStringOrNull()
            case "zoid": owner = try reader.readStringOrNull()
            case "dbs": databaseScope = try reader.readCountOrNull() ?? databaseScope
            default: try reader.skip()
            }
        }
        subject = zoneName.map { .zone(ZoneID(zoneName: $0, ownerRecordName: owner)) } ?? .database
    }
}
