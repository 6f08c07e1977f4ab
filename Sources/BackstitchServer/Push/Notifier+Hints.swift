import CloudWire

extension Notifier {
    /// A notification without details: something may have happened.
    ///
    /// - Parameter isLast: Whether a subscription to a query has missed only its very last news. Then that news is
    ///   named.
    func hint(_ hint: StoredHint, _ token: StoredPushToken, isLast: Bool = false) -> PushNotification {
        let container = token.tenant.prefix { $0 != "/" }
        let subscription = hint.subscription
        let subject: PushNotification.Subject =
            if subscription.subscriptionType == .query {
                if isLast, let last = hint.last {
                    .record(
                        name: last.name, change: last.change,
                        zone: last.zone.map { ZoneID(zoneName: $0, ownerRecordName: hint.owner(of: token)) })
                } else {
                    .record(name: nil, change: nil, zone: nil)
                }
            } else {
                subscription.zoneID.map { .zone($0.bare) } ?? .database
            }
        return PushNotification(
            container: String(container), notificationID: server.random.uuid(), userRecordName: token.user,
            subscriptionID: subscription.subscriptionID, subject: subject, databaseScope: hint.scope)
    }
}

extension StoredHint {
    /// The owner of the subscription's zones, in the form for notifications.
    fileprivate func owner(of token: StoredPushToken) -> String {
        scope == DatabaseScope.public.rawValue ? DatabaseKey.publicOwner : token.user
    }
}

extension ZoneID {
    /// The zone in the form for notifications, without its type.
    var bare: ZoneID { ZoneID(zoneName: zoneName, ownerRecordName: ownerRecordName) }
}
