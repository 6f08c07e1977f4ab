/// A hint that something changed: the body of an answer of the long poll. A lost hint must do no harm.
package struct PushNotification: Sendable, Hashable {
    /// The object of the change.
    package enum Subject: Sendable, Hashable {
        /// A zone, for a zone subscription.
        case zone(ZoneID)
        /// One of the custom zones, for a database subscription.
        case database
        /// A record, for a query subscription. If name and change are missing, one or several of its records changed,
        /// without further details.
        case record(name: String?, change: WireSubscription.Change?, zone: ZoneID?)
        /// A kind of notification that this version does not know.
        case unknown
    }

    /// The identifier of the container.
    package var container: String
    /// Identifies this notification. Several subscriptions may share one.
    package var notificationID: String
    /// The record name of the user who receives it.
    package var userRecordName: String?
    /// The subscription that fired.
    package var subscriptionID: String?
    /// The object of the change.
    package var subject: Subject
    /// The database: 1 is public, 2 is private, 3 is shared.
    package var databaseScope: Int
    /// The presentation on a device; nil for a silent notification. Readers do not use it.
    package var presentation: WireSubscription.NotificationInfo?

    package init(
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

    /// The object `ck`: the details of the change.
    struct Details: WireObject {
        var container = ""
        var notificationID = ""
        var userRecordName: String?
        var place: Place?

        static var blank: Self { Self() }

        /// Whether the notification has fewer details than its subscription.
        private var isPruned: Bool { place.map { $0.kind == .record && $0.recordName == nil } ?? false }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.constant("ce", "2")
            keys.value("cid", &container)
            keys.value("nid", &notificationID)
            keys.optional("ckuserid", &userRecordName)
            keys.constant("p", "1", if: isPruned)
            codePlace("qry", .record, &keys)
            codePlace("fet", .zone, &keys)
            codePlace("met", .database, &keys)
        }

        /// The place of the change has one of three keys. The key shows the kind of the subscription.
        @inline(__always)
        private mutating func codePlace(_ name: StaticString, _ kind: Place.Kind, _ keys: inout some KeyCoder) {
            keys.field(name, if: place?.kind == kind, else: nil) {
                place?.write(to: &$0)
            } read: { (reader) throws(WireCodingError) in
                var read = Place(
                    kind: kind, subscriptionID: place?.subscriptionID, databaseScope: place?.databaseScope ?? 2)
                try reader.readObject { read.code(&$0) }
                place = read
                return true
            }
        }
    }

    /// The object of a change: `fet` for a zone, `met` for a database, `qry` for a record.
    struct Place: WireObject {
        enum Kind { case zone, database, record }

        var kind = Kind.database
        var subscriptionID: String?
        var recordName: String?
        /// The number of a ``WireSubscription/Change``, starting at 1.
        var change: Int?
        var zoneName: String?
        var owner: String?
        var databaseScope = 2

        static var blank: Self { Self() }

        mutating func code(_ keys: inout some KeyCoder) {
            keys.optional("sid", &subscriptionID)
            keys.optional("rid", &recordName)
            keys.optional("fo", &change)
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
                    kind: .zone, subscriptionID: subscriptionID, zoneName: zone.zoneName, owner: zone.ownerRecordName,
                    databaseScope: databaseScope)
            case .database: Place(subscriptionID: subscriptionID, databaseScope: databaseScope)
            case .record(let name, let change, let zone):
                Place(
                    kind: .record, subscriptionID: subscriptionID, recordName: name, change: change?.number,
                    zoneName: zone?.zoneName, owner: zone?.ownerRecordName, databaseScope: databaseScope)
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
        let subject: Subject =
            switch (place?.kind, zone) {
            case (nil, _): .unknown
            case (.record, _):
                .record(
                    name: place?.recordName, change: place?.change.flatMap(WireSubscription.Change.init(number:)),
                    zone: zone)
            case (_, let zone?): .zone(zone)
            case (_, nil): .database
            }
        self.init(
            container: details.container, notificationID: details.notificationID,
            userRecordName: details.userRecordName, subscriptionID: place?.subscriptionID, subject: subject,
            databaseScope: place?.databaseScope ?? 2)
    }
}

extension WireSubscription.Change {
    /// The number of the change in notifications.
    fileprivate var number: Int {
        switch self {
        case .create: 1
        case .update: 2
        case .delete: 3
        }
    }

    fileprivate init?(number: Int) {
        guard let change = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = change
    }
}
