import BackstitchSupport
import CloudWire

/// The change that one operation will make to the zone, once it is known that it can.
struct PlannedChange {
    /// The new version; its sequence is set at the commit.
    var record: StoredRecord
    /// The record as it is before the change; nil when there is none.
    var before: StoredRecord?
    /// The zone has no row of this name yet.
    var isNew: Bool
    var references: [StoredReference] = []
    var assets: [(field: String, checksum: AssetChecksum)] = []
    /// The row that is replaced had rows of references or assets.
    var oldFlags: StoredRecord.Flags = []
    /// The record is a share: what becomes of that.
    var share: PlannedShare?
    /// The record's parent is not for the caller.
    var hidesParent = false

    /// The records with whose deletions this one goes from then on.
    var families: Set<ByteText> {
        Set(references.lazy.filter { $0.action == .deleteSelf }.map { ByteText($0.target) })
    }

    /// The records with whose deletions it goes as it is. Takes time in proportion to the record's fields where it has
    /// references.
    ///
    /// - Throws: INTERNAL_ERROR, naming the record, when its stored fields cannot be read.
    func familiesBefore() throws(WireError) -> Set<ByteText> {
        guard let before, before.flags.contains(.references) else { return [] }
        let fields: [String: WireValue?]
        do { fields = try WireRecord.Fields(json: before.fields).values } catch {
            throw WireError(.internalError, "the stored fields of '\(before.name)' cannot be read: \(error)")
        }
        return Set(
            fields.values.lazy.flatMap { $0?.references ?? [] }.filter { $0.action == .deleteSelf }
                .map { ByteText($0.recordName) })
    }

    /// Whether the record stays, while for the caller it is gone.
    var isLeaving: Bool { share?.isLeaving ?? false }
}
