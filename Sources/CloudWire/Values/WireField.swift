import BackstitchSupport

/// One field after its reading: its value, and whether the sender named the type.
///
/// Fields are read and written by hand, not by a table (``WireObject``). The same is true for ``WireValue`` and the
/// object around the fields. There are three reasons. The keys of fields can be any names. The form of a value depends
/// on a type that may follow it. And writing starts from the value.
struct WireField {
    /// Nil if the sender cleared the field: `{}` or `{"value": null}`.
    var value: WireValue?
    /// Whether the type was guessed from the JSON. An existing field's own type should have precedence then.
    var isInferred: Bool
    /// Whether the sender marked the value as encrypted.
    var isEncrypted = false

    /// Reads a field dictionary. If the value is before its type, it is read twice, the second time with the known
    /// type.
    static func read(from reader: inout JSONReader) throws(WireCodingError) -> WireField {
        var type: WireValueType?
        var value: WireValue?
        var pending: JSONReader.Mark?
        var isEncrypted = false
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "type":
                let tag = try readType(from: &reader)
                type = tag?.type
                isEncrypted = isEncrypted || tag?.isEncrypted == true
            case "isEncrypted": if try !reader.readNull(), try reader.readBool() { isEncrypted = true }
            case "value":
                if let type {
                    value = try reader.readNull() ? nil : try WireValue.read(as: type, from: &reader)
                } else {
                    pending = reader.mark
                    try reader.skip()
                }
            default: try reader.skip()
            }
        }
        guard let pending else { return WireField(value: value, isInferred: false, isEncrypted: isEncrypted) }
        let end = reader.position
        reader.position = pending.position
        if !(try reader.readNull()) {
            value =
                if let type { try WireValue.read(as: type, from: &reader) } else {
                    try WireValue.readInferring(from: &reader)
                }
        }
        reader.position = end
        return WireField(value: value, isInferred: type == nil && value != nil, isEncrypted: isEncrypted)
    }

    private static func readType(
        from reader: inout JSONReader
    ) throws(WireCodingError) -> (type: WireValueType, isEncrypted: Bool)? {
        if try reader.readNull() { return nil }
        let mark = reader.mark
        let read = try reader.withStringBytes { bytes in
            WireValueType(tag: bytes).map { ($0, bytes.starts(with: WireValueType.encryptedPrefix.utf8)) }
        }
        if let read { return read }
        reader.rewind(to: mark)
        throw reader.wrongValue("unknown field type '\(try reader.readString().shown())'", at: mark.position)
    }
}
