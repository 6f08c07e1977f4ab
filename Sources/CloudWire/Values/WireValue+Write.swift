extension WireValue {
    /// Writes the field dictionary `{"type": …, "value": …}`. The type is first, so that a reader needs only one pass.
    ///
    /// - Parameter field: name of the field, for the error about a number without a JSON form.
    func write(to writer: inout JSONWriter, field: String) {
        writer.beginObject()
        writer.key("type")
        writer.string(type.rawValue)
        writer.key("value")
        writeValue(to: &writer, field: field)
        writer.endObject()
    }

    private func writeValue(to writer: inout JSONWriter, field: String) {
        switch self {
        case .string(let value): writer.string(value)
        case .int64(let value), .timestamp(let value): writer.quotingNumber { $0.int(value) }
        case .double(let value): Self.writeDouble(value, field, &writer)
        case .bytes(let value): writer.base64(value)
        case .reference(let value): value.write(to: &writer)
        case .asset(let value): value.write(to: &writer)
        case .location(let value): Self.writeLocation(value, field, &writer)
        default: writeList(to: &writer, field: field)
        }
    }

    private func writeList(to writer: inout JSONWriter, field: String) {
        writer.beginArray()
        switch self {
        case .stringList(let values): for value in values { writer.string(value) }
        case .int64List(let values), .timestampList(let values):
            for value in values { writer.quotingNumber { $0.int(value) } }
        case .doubleList(let values): for value in values { Self.writeDouble(value, field, &writer) }
        case .bytesList(let values): for value in values { writer.base64(value) }
        case .referenceList(let values): for value in values { value.write(to: &writer) }
        case .assetList(let values): for value in values { value.write(to: &writer) }
        case .locationList(let values): for value in values { Self.writeLocation(value, field, &writer) }
        default: break
        }
        writer.endArray()
    }

    private static func writeDouble(_ value: Double, _ field: String, _ writer: inout JSONWriter) {
        writer.quotingNumber { $0.double(value, "field '\(field)'") }
    }

    private static func writeLocation(_ value: WireLocation, _ field: String, _ writer: inout JSONWriter) {
        writer.locationField = field
        value.write(to: &writer)
        writer.locationField = nil
    }
}
