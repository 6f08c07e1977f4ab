package import Backstitch
package import CloudWire
import Foundation

/// One object's change in the form to send.
package struct PushItem: Sendable {
    /// The outbox entry as it was read.
    package var entry: OutboxEntry
    /// The operation for the server. Its assets have no receipts yet.
    package var operation: RecordOperation
    /// The contents of the entry's pushed fields.
    package var pushed: [String: OutboxEntry.Base]
    /// Whether an insert may have reached the server before this push.
    package var mayHaveArrived: Bool
    /// The last transaction whose edits are in the insert that may have arrived, see ``UnansweredInserts``.
    package var arrivedSequence: Int64
    /// The traces of the object's earlier pushes with unknown answers.
    package var earlierTraces: [PushTrace]
    /// The assets whose bytes are sent before the record, by attribute.
    package var assets: [String: AssetReference]
    /// Assets that are left out and are missing on the server.
    var lostAssets: [LostAsset] = []
    /// Assets that are left out although the server's value is unknown, by field.
    var unread: [String: WireAsset?] = [:]
    /// The keys of encrypted assets' bytes, by attribute.
    var assetKeys: [String: AssetContentKey] = [:]
    /// The encoded size of its fields in bytes, before assets have their receipts.
    var encodedSize = 0
    /// The large values that are sent as assets for lack of room, by attribute; their names are among the assets.
    var large: [String: Data] = [:]
    /// The additional fields that it sets or clears for such values.
    var largeFields: [String: WireAsset?] = [:]
    /// The keys of the record's encrypted fields after the push; nil if it has none.
    var sealing: RecordSealing?
    /// The object's parent, for a server that refuses a record without its parent.
    package var parent: ObjectKey?
    /// The change tag of the parent's record as it was here; nil if the server did not have it.
    package var parentTag: String?
    /// The record in the object's former zone, if the object moves by this change.
    var departure: Departure?
    /// The copy of the record in the target zone of the move, if there is one.
    var copy: MovedCopy?
    /// Whether it deletes a record that the server has had.
    var isDeletionOfKnown: Bool {
        let tag = operation.record.recordChangeTag
        return operation.operationType == .delete && tag != nil && tag != RecordState.tagOfNoRecord
    }
    /// Whether it creates the record.
    var makesRecord: Bool { operation.operationType == .create }

    /// A record that is deleted because its object moves.
    struct Departure: Sendable {
        /// The number of the zone that the object leaves.
        let zone: Int64
        /// The zone on the server.
        let place: ZoneID
        let recordName: String
        let tag: String

        /// The deletion of the record. It names the zone of the object.
        func operation(to zone: String?) -> RecordOperation {
            var record = WireRecord(recordName: recordName, recordChangeTag: tag, zoneID: place)
            record.movedTo = zone
            return RecordOperation(.delete, record)
        }
    }

    /// Returns the server's content of a property after the push, as far as that is known.
    func contentThen(of property: String) -> OutboxEntry.Base? {
        if let content = pushed[property] { return content }
        return lostAssets.first { $0.column.name == property }.map { OutboxEntry.Base.value($0.replacement) }
    }

    /// Creates an item with one object's change.
    package init(
        entry: OutboxEntry, operation: RecordOperation, pushed: [String: OutboxEntry.Base] = [:],
        mayHaveArrived: Bool = false, arrivedSequence: Int64 = 0, earlierTraces: [PushTrace] = [],
        assets: [String: AssetReference] = [:]
    ) {
        self.entry = entry
        self.operation = operation
        self.pushed = pushed
        self.mayHaveArrived = mayHaveArrived
        self.arrivedSequence = arrivedSequence
        self.earlierTraces = earlierTraces
        self.assets = assets
    }
}
