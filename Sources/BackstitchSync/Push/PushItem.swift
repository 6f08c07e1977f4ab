package import Backstitch
package import CloudWire
import Foundation

/// One object's change, as it is sent.
package struct PushItem: Sendable {
    /// The outbox entry as it was read.
    package var entry: OutboxEntry
    /// The operation that is asked of the server. Assets in it have no receipts yet.
    package var operation: RecordOperation
    /// The contents of the entry's pushed fields.
    package var pushed: [String: OutboxEntry.Base]
    /// Whether an insert may have reached the server before this push.
    package var mayHaveArrived: Bool
    /// The transaction up to which edits are in an insert that may have arrived, see ``UnansweredInserts``.
    package var arrivedSequence: Int64
    /// The traces of earlier pushes of the object whose answers are not known.
    package var earlierTraces: [PushTrace]
    /// The assets whose bytes go before the record, by attribute.
    package var assets: [String: AssetReference]
    /// Assets that are left out, and that the server does not have.
    var lostAssets: [LostAsset] = []
    /// Assets that are left out although nobody knows what the server has in their fields, by field.
    var unread: [String: WireAsset?] = [:]
    /// The keys of encrypted assets' bytes, by attribute.
    var assetKeys: [String: AssetContentKey] = [:]
    /// Bytes of its fields as they were encoded, before assets have their receipts.
    var encodedSize = 0
    /// The values that travel as assets for want of room, by attribute; their names are among the assets.
    var large: [String: Data] = [:]
    /// The fields of such values that it sets, or takes away.
    var largeFields: [String: WireAsset?] = [:]
    /// The keys under which the record's encrypted fields are when it has arrived; nil where it has none.
    var sealing: RecordSealing?
    /// The object on which it hangs, where the server takes no record without the one that it names as its parent.
    package var parent: ObjectKey?
    /// The change tag of that one's record as it was here; nil where the server did not have it.
    package var parentTag: String?
    /// The mark that it sets, a zone of the server, or takes away; nil for neither.
    var mark: String??
    /// Whether it deletes a record that the server has had.
    var isDeletionOfKnown: Bool {
        let tag = operation.record.recordChangeTag
        return operation.operationType == .delete && tag != nil && tag != RecordState.tagOfNoRecord
    }
    /// Whether it makes the record.
    var makesRecord: Bool { operation.operationType == .create }

    /// The content that the server has of a property once it has taken the change, as far as that is known.
    func contentThen(of property: String) -> OutboxEntry.Base? {
        if let content = pushed[property] { return content }
        return lostAssets.first { $0.column.name == property }.map { OutboxEntry.Base.value($0.replacement) }
    }

    /// A change.
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
