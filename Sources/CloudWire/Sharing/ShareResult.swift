/// One element of an answer about shares: the share, or why there is none.
public enum ShareResult: Sendable, Hashable {
    /// The share.
    case share(ResolvedShare)
    /// Why there is none.
    case error(shortGUID: String, WireError)
}

/// A result is written by the table of the case that it is, and read by the tables of both at once.
extension ShareResult: WireCodable, JSONValue {
    /// Appends the JSON form.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .share(let share): share.write(to: &writer)
        case .error(let guid, let error):
            var keys = error.draft, name = guid.isEmpty ? nil : ShortGUID(guid)
            writer.beginObject()
            writer.optional("shortGUID", &name)
            keys.code(&writer)
            writer.endObject()
        }
    }

    /// Reads the JSON form, leniently.
    public static func read(from reader: inout JSONReader) throws(WireCodingError) -> ShareResult {
        var share = ResolvedShare.blank
        var keys = ErrorKeys.blank
        try reader.readObject {
            share.code(&$0)
            keys.code(&$0)
        }
        guard let error = keys.error else { return .share(share) }
        return .error(shortGUID: share.shortGUID.value, error)
    }
}
