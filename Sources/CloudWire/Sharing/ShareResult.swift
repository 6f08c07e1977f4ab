/// One element of an answer about shares: the share, or the reason why there is none.
package enum ShareResult: Sendable, Hashable {
    /// The share that was found.
    case share(ResolvedShare)
    /// The reason why there is no share.
    case error(shortGUID: String, WireError)
}

/// The table of its case writes a result. The tables of both cases read it together.
extension ShareResult: WireCodable, JSONValue {
    /// Appends the JSON form of the case.
    package func write(to writer: inout JSONWriter) {
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

    /// Reads the JSON form leniently: an error code decides the case.
    package static func read(from reader: inout JSONReader) throws(WireCodingError) -> ShareResult {
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
