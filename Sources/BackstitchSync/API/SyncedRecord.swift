public import Foundation

/// The record of an object on the server, without its fields; see ``SyncObjects/record(of:)``.
public struct SyncedRecord: Sendable, Hashable {
    /// The time and author of a save of the record.
    public struct Stamp: Sendable, Hashable {
        /// The time of the save, by the server's clock.
        public var date: Date
        /// The user who saved; nil if the server does not send it.
        public var userRecordName: String?
        /// The device that saved; nil if the server does not send it. This project's server sends it for the first
        /// save.
        public var deviceID: String?

        /// Creates the stamp of a save.
        public init(date: Date, userRecordName: String? = nil, deviceID: String? = nil) {
            self.date = date
            self.userRecordName = userRecordName
            self.deviceID = deviceID
        }
    }

    /// The record's name, unique in its zone.
    public var recordName: String
    /// The record's type, the name of an entity.
    public var recordType: String
    /// The zone of the record.
    public var zone: SyncZone
    /// The user who owns the zone; nil if the server does not send it.
    public var ownerRecordName: String?
    /// The server's version of the record. It is a new one after each change.
    public var changeTag: String?
    /// The first save of the record.
    public var created: Stamp?
    /// The last save of the record.
    public var modified: Stamp?
    /// The name of the parent record, for sharing; nil if there is none.
    public var parent: String?
    /// The name of the share's record, if the object itself is shared (``SyncSharing/share(ofObject:)``). Nil if it
    /// is not, even if its parent is shared.
    public var share: String?
}
