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
    /// How a notification that is sent to a device shows itself; nil for a silent one. A reader has no use for it.
    package var presentation: WireSubscription.NotificationInfo?

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

extension PushNotification: WireDrafted {
    struct Draft: WireObject {
        var presentation = Presentation()
        var details = Details()

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.field("aps", if: true, else: nil) {
                presentation.write(to: &$0)
            } read: { (reader) throws(WireCodingError) in
                try reader.skip()
                return true
            }
            keys.nonNull("ck", &details)
        }
    }

    /// The object `ck`.
    struct Details: WireObject {
        var container = ""
        var notificationID = ""
        var userRecordName: String?
        var place: Place?

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.constant("ce", "2")
            keys.value("cid", &container)
            keys.value("nid", &notificationID)
            keys.optional("ckuserid", &userRecordName)
            codePlace("fet", if: place?.zoneName != nil, &keys)
            codePlace("met", if: place != nil && place?.zoneName == nil, &keys)
        }

        /// The place of the change stands behind one key when it is a zone, behind another when it is a database.
        @inline(__always)
        private mutating func codePlace(_ name: StaticString, if isWritten: Bool, _ keys: inout some KeyCoder) {
            keys.field(name, if: isWritten, else: nil) {
                place?.write(to: &$0)
            } read: { (reader) throws(WireCodingError) in
                var read = Place(subscriptionID: place?.subscriptionID, databaseScope: place?.databaseScope ?? 2)
                try reader.readObject { read.code(&$0) }
                place = read
                return true
            }
        }
    }

    /// The object `fet` of a zone, `met` of a database.
    struct Place: WireObject {
        var subscriptionID: String?
        var zoneName: String?
        var owner: String?
        var databaseScope = 2

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.optional("sid", &subscriptionID)
            keys.optional("zid", &zoneName)
            keys.optional("zoid", &owner)
            keys.value("dbs", &databaseScope)
        }
    }

    var draft: Draft {
        let place: Place? =
            switch subject {
            case .zone(let zone):
                Place(
                    subscriptionID: subscriptionID, zoneName: zone.zoneName, owner: zone.ownerRecordName,
                    databaseScope: databaseScope)
            case .database: Place(subscriptionID: subscriptionID, databaseScope: databaseScope)
            case .unknown: nil
            }
        return Draft(
            presentation: Presentation(presentation),
            details: Details(
                container: container, notificationID: notificationID, userRecordName: userRecordName, place: place))
    }

    init(_ draft: Draft, from reader: borrowing JSONReader) throws(WireCodingError) {
        let details = draft.details
        let place = details.place
        let zone = place?.zoneName.map { ZoneID(zoneName: $0, ownerRecordName: place?.owner) }
        self.init(
            container: details.container, notificationID: details.notificationID,
            userRecordName: details.userRecordName, subscriptionID: place?.subscriptionID,
            subject: zone.map { .zone($0) } ?? (place == nil ? .unknown : .database),
            databaseScope: place?.databaseScope ?? 2)
    }
}
