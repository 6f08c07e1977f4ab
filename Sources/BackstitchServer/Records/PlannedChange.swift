import BackstitchSupport
import CloudWire

/// The change of the zone by one operation, after all checks of the operation itself.
struct PlannedChange {
    /// The new version. Its sequence is set at the commit.
    var record: StoredRecord
    /// The record before the change; nil if there was none.
    var before: StoredRecord?
    /// Whether the zone has no row with this name yet.
    var isNew: Bool
    var references: [StoredReference] = []
    var assets: [(field: String, checksum: AssetChecksum)] = []
    /// The flags of the replaced row. They tell whether it had rows of references or assets.
    var oldFlags: StoredRecord.Flags = []
    /// The change of the share, if the record is a share.
    var share: PlannedShare?
    /// Whether the record's parent is hidden from the caller.
    var hidesParent = false

    /// The targets of the new version's DELETE_SELF references. The record will be deleted with any of them.
    var families: Set<ByteText> {
        Set(references.lazy.filter { $0.action == .deleteSelf }.map { ByteText($0.target) })
    }

    /// The targets of the present version's DELETE_SELF references.
    ///
    /// Complexity: linear in the size of the record's fields, if it has references with an action.
    ///
    /// - Throws: INTERNAL_ERROR, naming the record, if its stored fields cannot be read.
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

    /// Whether the operation only ends the caller's part in a share. The record stays, but is gone for the caller.
    var isLeaving: Bool { share?.isLeaving ?? false }
}
