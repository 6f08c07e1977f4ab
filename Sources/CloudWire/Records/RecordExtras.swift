/// The parts of a record beside its name, type, tag and fields, out of line: records are copied a lot, and most that
/// clients send have none of these.
///
/// A record shares it with its copies until one of them changes a part.
final class RecordExtras: @unchecked Sendable {  // It is changed by a record that alone refers to it.
    struct Parts: Hashable {
        var created: WireStamp?
        var modified: WireStamp?
        var zoneID: ZoneID?
        var parent: WireReference?
        var clearsParent = false
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
    /// The creation of the record: time, user and device; given by servers only.
    public var created: WireStamp? {
        get { extras?.parts.created }
        set { if newValue != created { changeExtras(clears: newValue == nil) { $0.created = newValue } } }
    }

    /// The last change of the record: time, user and device; given by servers only.
    public var modified: WireStamp? {
        get { extras?.parts.modified }
        set { if newValue != modified { changeExtras(clears: newValue == nil) { $0.modified = newValue } } }
    }

    /// The zone of the record; nil in a request means the request's zone.
    public var zoneID: ZoneID? {
        get { extras?.parts.zoneID }
        set { if newValue != zoneID { changeExtras(clears: newValue == nil) { $0.zoneID = newValue } } }
    }

    /// The parent record in a sharing hierarchy.
    public var parent: WireReference? {
        get { extras?.parts.parent }
        set { if newValue != parent { changeExtras(clears: newValue == nil) { $0.parent = newValue } } }
    }

    /// Whether an update takes the parent away, an extension; one that does not name a parent leaves it as it is.
    public var clearsParent: Bool {
        get { extras?.parts.clearsParent ?? false }
        set { if newValue != clearsParent { changeExtras(clears: !newValue) { $0.clearsParent = newValue } } }
    }

    /// Names of fields that came without a type tag, so that the value's type is a guess.
    package var inferredFields: Set<String> {
        get { extras?.parts.inferredFields ?? [] }
        set {
            if newValue != inferredFields { changeExtras(clears: newValue.isEmpty) { $0.inferredFields = newValue } }
        }
    }

    /// Names of fields whose values came encrypted (`isEncrypted`, or a type tag that says so).
    package var encryptedFields: Set<String> {
        get { extras?.parts.encryptedFields ?? [] }
        set {
            if newValue != encryptedFields { changeExtras(clears: newValue.isEmpty) { $0.encryptedFields = newValue } }
        }
    }

    /// The part about sharing, which almost no record has; see ``share``.
    package var sharing: SharingBox? {
        get { extras?.parts.sharing }
        set { if newValue != sharing { changeExtras(clears: newValue == nil) { $0.sharing = newValue } } }
    }

    /// The fields, where one of them could not be read: ``fields`` has the others then. A server refuses such a record,
    /// so only one that was read by ``WireDecodable/init(wireAnswer:)`` has it.
    package var faultyFields: FaultyFields? {
        get { extras?.parts.faultyFields }
        set { if newValue != faultyFields { changeExtras(clears: newValue == nil) { $0.faultyFields = newValue } } }
    }

    /// A record as a server gives it, without its fields.
    package init(
        recordName: String, recordType: String?, recordChangeTag: String?, created: WireStamp, modified: WireStamp,
        zoneID: ZoneID, parent: WireReference?
    ) {
        self.init(recordName: recordName, recordType: recordType, recordChangeTag: recordChangeTag)
        extras = RecordExtras(.init(created: created, modified: modified, zoneID: zoneID, parent: parent))
    }

    /// - Parameter clears: Whether the part is as in a record that does not have it.
    private mutating func changeExtras(clears: Bool, _ change: (inout RecordExtras.Parts) -> Void) {
        if !isKnownUniquelyReferenced(&extras) { extras = RecordExtras(extras?.parts ?? .init()) }
        guard let extras else { return }
        change(&extras.parts)
        // Equal records have equal extras, whatever they had before.
        if clears, extras.parts == RecordExtras.Parts() { self.extras = nil }
    }
}
