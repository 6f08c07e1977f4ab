import BackstitchSupport
import CloudWire

/// A field in a query: one of the app's own fields, or a system field of every record.
struct QueryField: Hashable, Sendable {
    /// The name. System fields begin with `___`.
    let name: String

    /// The system fields by their names in requests, with and without underscores.
    private static let systemNames: [ByteText: String] = [
        "recordName": "___recordID", "share": "___share", "parent": "___parent",
        "createdUserRecordName": "___createdBy", "createdTimestamp": "___createTime",
        "modifiedTimestamp": "___modTime", "modifiedUserRecordName": "___modifiedBy",
        "___recordID": "___recordID", "___recordId": "___recordID", "___recordName": "___recordID",
        "___share": "___share", "___parent": "___parent", "___createdBy": "___createdBy",
        "___createTime": "___createTime", "___modTime": "___modTime", "___modifiedBy": "___modifiedBy",
    ]

    /// The user who made the record.
    static let createdBy = QueryField(known: "___createdBy")

    /// The parent of the record.
    static let parent = QueryField(known: "___parent")

    /// Takes a name that was checked before.
    init(known name: String) { self.name = name }

    /// Reads the field of a filter or a sort.
    ///
    /// - Throws: BAD_REQUEST if there is no name, or if no field can have it.
    init(_ fieldName: String?, system systemFieldName: String?) throws(WireError) {
        guard (fieldName == nil) != (systemFieldName == nil), let text = fieldName ?? systemFieldName else {
            throw WireError(.badRequest, "a filter or sort needs either a fieldName or a systemFieldName")
        }
        if systemFieldName != nil || text.begins(with: "___") {
            guard let known = Self.systemNames[ByteText(text)] else {
                throw WireError(.badRequest, "unknown system field '\(text.shown())'")
            }
            name = known
        } else {
            if let fault = RecordRules.fault(inFieldName: text) { throw WireError(.badRequest, fault) }
            name = text
        }
    }

    /// Whether it is a system field, so every record has it.
    var isSystem: Bool { name.begins(with: "_") }

    /// The value of the field in a record; nil if the record has none.
    func value(_ record: StoredRecord, _ fields: [String: WireValue?]) -> WireValue? {
        switch name {
        case "___recordID": .string(record.name)
        case "___parent": record.parent.map(WireValue.string)
        case "___createdBy": .string(record.createdBy)
        case "___createTime": .timestamp(record.created)
        case "___modTime": .timestamp(record.modified)
        case "___modifiedBy": .string(record.modifiedBy)
        // Queries do not know a record's share.
        case "___share": nil
        default: fields[name] ?? nil
        }
    }
}
