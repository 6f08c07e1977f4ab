/// The parts of a record besides its name, type, tag and fields, stored out of line. Records are copied often, and most
/// records of clients have none of these parts.
///
/// A record shares this object with its copies until one of them changes a part.
final class RecordExtras: @unchecked Sendable {  // Only a record with the sole reference changes it.
    struct Parts: Hashable {
        var created: WireStamp?
        var modified: WireStamp?
        var zoneID: ZoneID?
        var parent: WireReference?
        var clearsParent = false
        var movedTo: String?
        var inferredFields: Set<String> = []
        var encryptedFields: Set<String> = []
        var sharing: SharingBox?
        var faultyFields: FaultyFields?
    }

    fileprivate(set) var parts: Parts

    fileprivate init(_ parts: Parts) { self.parts = parts }
}

extension RecordExtras: Hashable {
    static func == (left: RecordExtras, right: RecordExtras) -> Bool { left === right || left.parts == right.parts }

    func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}

extension WireRecord {
    /// The creation of the record: time, user and device. Only servers set it.
    package var created: WireStamp? {
        get { extras?.parts.created }
        set { if newValue != created { changeExtras(clears: newValue == nil) { $0.created = newValue } } }
    }

    /// The last change of the record: time, user and device. Only servers set it.
    package var modified: WireStamp? {
        get { extras?.parts.modified }
        set { if newValue != modified { changeExtras(clears: newValue == nil) { $0.modified = newValue } } }
    }

    /// The zone of the record; nil in a request means the request's zone.
    package var zoneID: ZoneID? {
        get { extras?.parts.zoneID }
        set { if newValue != zoneID { changeExtras(clears: newValue == nil) { $0.zoneID = newValue } } }
    }

    /// The parent record in a sharing hierarchy.
    package var parent: WireReference? {
        get { extras?.parts.parent }
        set { if newValue != parent { changeExtras(clears: newValue == nil) { $0.parent = newValue } } }
    }

    /// Whether an update removes the parent, an extension. An update without a parent leaves the parent unchanged.
    package var clearsParent: Bool {
        get { extras?.parts.clearsParent ?? false }
        set { if newValue != clearsParent { changeExtras(clears: !newValue) { $0.clearsParent = newValue } } }
    }

    /// Extension: the name of the zone that has the object's record now. A deletion may say it, and the feed repeats it
    /// to the zone's owner. For others it is empty.
    package var movedTo: String? {
        get { extras?.parts.movedTo }
        set { if newValue != movedTo { changeExtras(clears: newValue == nil) { $0.movedTo = newValue } } }
    }

    /// Names of fields that arrived without a type tag. The types of their values are guesses.
    package var inferredFields: Set<String> {
        get { extras?.parts.inferredFields ?? [] }
        set {
            if newValue != inferredFields { changeExtras(clears: newValue.isEmpty) { $0.inferredFields = newValue } }
        }
    }

    /// Names of fields whose values arrived encrypted (with `isEncrypted`, or with a type tag for it).
    package var encryptedFields: Set<String> {
        get { extras?.parts.encryptedFields ?? [] }
        set {
            if newValue != encryptedFields { changeExtras(clears: newValue.isEmpty) { $0.encryptedFields = newValue } }
        }
    }

    /// The part about sharing, which few records have; see ``share``.
    package var sharing: SharingBox? {
        get { extras?.parts.sharing }
        set { if newValue != sharing { changeExtras(clears: newValue == nil) { $0.sharing = newValue } } }
    }

    /// The original fields, if one of them could not be read; ``fields`` then has the others. A server refuses such a
    /// record. So only a record that ``WireDecodable/init(wireAnswer:)`` has read can have it.
    package var faultyFields: FaultyFields? {
        get { extras?.parts.faultyFields }
        set { if newValue != faultyFields { changeExtras(clears: newValue == nil) { $0.faultyFields = newValue } } }
    }

    /// Creates a record in a server's form, without its fields.
    package init(
        recordName: String, recordType: String?, recordChangeTag: String?, created: WireStamp, modified: WireStamp,
        zoneID: ZoneID, parent: WireReference?
    ) {
        self.init(recordName: recordName, recordType: recordType, recordChangeTag: recordChangeTag)
        extras = RecordExtras(.init(created: created, modified: modified, zoneID: zoneID, parent: parent))
    }

    /// Changes a part, in a copy if the parts are shared.
    ///
    /// - Parameter clears: Whether the part becomes equal to that of a record without it.
    private mutating func changeExtras(clears: Bool, _ change: (inout RecordExtras.Parts) -> Void) {
        if !isKnownUniquelyReferenced(&extras) { extras = RecordExtras(extras?.parts ?? .init()) }
        guard let extras else { return }
        change(&extras.parts)
        // Equal records must have equal extras, independent of their past.
        if clears, extras.parts == RecordExtras.Parts() { self.extras = nil }
    }
}
