/// The time, user and device of a record's save.
package struct WireStamp: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 00:00 UTC, by the server's clock.
    package var timestamp: Int64
    /// The record name of the user who saved.
    package var userRecordName: String?
    /// The device of the save; ``unnamedDevice`` for clients without a name.
    package var deviceID: String?

    /// The device ID for clients that have not named themselves.
    package static let unnamedDevice = "2"

    /// The name that CloudKit may use for the user of the request.
    package static let callerName = "__defaultOwner__"

    package init(timestamp: Int64, userRecordName: String? = nil, deviceID: String? = nil) {
        self.timestamp = timestamp
        self.userRecordName = userRecordName
        self.deviceID = deviceID
    }
}

extension WireStamp: WireObject {
    static var blank: Self { Self(timestamp: 0) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("timestamp", &timestamp)
        keys.optional("userRecordName", &userRecordName)
        keys.optional("deviceID", &deviceID)
    }
}
