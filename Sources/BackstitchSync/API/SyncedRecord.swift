public import Foundation

/// The record of an object as the server has it, without its fields; see ``SyncController/record(of:)``.
public struct SyncedRecord: Sendable, Hashable {
    /// A save of the record.
    public struct Stamp: Sendable, Hashable {
        /// When it was, by the server's clock.
        public var date: Date
        /// The user who saved; nil where the server does not say.
        public var userRecordName: String?
        /// The device that saved; nil where the server does not say. This project's server says it of the first save.
        public var deviceID: String?

        /// A stamp.
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
    /// The zone that the record is in.
    public var zone: SyncZone
    /// The user who owns the zone; nil where the server does not say.
    public var ownerRecordName: String?
    /// The server's version of the record, another one after each change.
    public var changeTag: String?
    /// The first save.
    public var created: Stamp?
    /// The last save.
    public var modified: Stamp?
    /// The name of the record above it, for sharing; nil where there is none.
    public var parent: String?
    /// The name of its share's record, where the object itself is shared (``SyncController/share(ofObject:)``); nil
    /// where it is not, also below an object that is.
    public var share: String?
}
