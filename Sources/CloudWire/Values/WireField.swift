/// One field as it was read: its value, and whether the sender named the type.
struct WireField {
    /// Nil when the sender cleared the field: `{}` or `{"value": null}`.
    var value: WireValue?
    /// The type was guessed from the JSON, so an existing field's own type should win.
    var isInferred: Bool

    /// Reads a field dictionary. A value before its type is read twice, the second time with the type known.
    static func read(from reader: inout JSONReader) throws(WireCodingError) -> WireField {
        var type: WireValueType?
        var value: WireValue?
        var pending: JSONReader.Mark?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "type": type = try readType(from: &reader)
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
        guard let pending else { return WireField(value: value, isInferred: false) }
        let end = reader.position
        reader.position = pending.position
        if !(try reader.readNull()) {
            value =
                if let type { try WireValue.read(as: type, from: &reader) } else {
                    try WireValue.readInferring(from: &reader)
                }
        }
        reader.position = end
        return WireField(value: value, isInferred: type == nil && value != nil)
    }

    private static func readType(from reader: inout JSONReader) throws(WireCodingError) -> WireValueType? {
        if try reader.readNull() { return nil }
        let mark = reader.mark
        if let type = try reader.withStringBytes({ WireValueType(tag: $0) }) { return type }
        reader.rewind(to: mark)
        throw reader.wrongValue("unknown field type '\(try reader.readString())'", at: mark.position)
    }
}
