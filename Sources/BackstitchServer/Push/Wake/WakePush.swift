import BackstitchSupport
import CloudWire
import Foundation

/// A push for one device: a request to APNs, but for who sends it.
struct WakePush: Sendable {
    /// Pushes that stand for each other: of several only the last one is sent.
    struct Key: Sendable, Hashable {
        var tenantID: Int64
        var token: WakeToken
        var collapseID: String
    }

    /// Bytes of a payload that APNs takes.
    static let largestPayload = 4_096
    /// Seconds for which APNs keeps a push for a device that is off.
    static let lifetime: Int64 = 86_400

    let device: StoredWakeDevice
    let topic: String
    /// Names the push, so that a repeated request is known as one.
    let id: String
    /// Pushes of one subscription replace each other at APNs too; 43 characters.
    let collapseID: String
    /// Whether a person sees or hears something.
    let isVisible: Bool
    let payload: [UInt8]
    /// When it was made, in milliseconds since 1970.
    let created: Int64

    /// - Parameters:
    ///   - database: The database of the change.
    ///   - notification: What is said; its presentation decides how.
    init(
        _ notification: PushNotification, to device: StoredWakeDevice, topic: String, in database: DatabaseKey,
        id: String, at now: Int64
    ) throws(WireCodingError) {
        self.device = device
        self.topic = topic
        self.id = id
        created = now
        var subject = SHA256()
        for part in [
            database.tenant, "\(database.scope.rawValue)", database.owner, notification.userRecordName ?? "",
            notification.subscriptionID ?? "",
        ] {
            subject.update(data: Data("\(part.utf8.count):\(part)".utf8))
        }
        collapseID = subject.finalize().base64URL
        var notification = notification
        // A text that is too long is left out, and the app woken instead. One that is so by itself is not even written.
        if let presentation = notification.presentation, presentation.textBytes > Self.largestPayload {
            notification.presentation = nil
        }
        var payload = try notification.wireJSON()
        if payload.count > Self.largestPayload {
            notification.presentation = nil
            payload = try notification.wireJSON()
        }
        isVisible = notification.presentation?.isVisible ?? false
        self.payload = payload
    }

    var key: Key { Key(tenantID: device.tenantID, token: device.token, collapseID: collapseID) }

    /// The headers of the request beside the one that says who sends it.
    var headers: [(name: String, value: String)] {
        [
            ("apns-topic", topic), ("apns-push-type", isVisible ? "alert" : "background"),
            ("apns-priority", isVisible ? "10" : "5"), ("apns-id", id), ("apns-collapse-id", collapseID),
            ("apns-expiration", "\(created / 1_000 + Self.lifetime)"), ("content-type", "application/json"),
        ]
    }
}

extension WireSubscription.NotificationInfo {
    /// Bytes of the texts that it shows.
    fileprivate var textBytes: Int {
        [alertBody, alertLocalizationKey].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            + (alertLocalizationArgs ?? []).reduce(0) { $0 + $1.utf8.count }
    }
}
