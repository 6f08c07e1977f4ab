import BackstitchSupport
import CloudWire

/// The findings of filters in the fields of one record: a text of a megabyte, of which hundreds of filters ask for
/// words, is taken apart once.
struct QueryParts {
    private var words: [QueryField: Set<ByteText>] = [:]
    private var elements: [QueryField: Set<[UInt8]>] = [:]
    private var keys: [QueryField: [UInt8]] = [:]

    /// The words of a field's text; nil for another value.
    mutating func words(of value: WireValue, _ field: QueryField) -> Set<ByteText>? {
        guard let text = value.text else { return nil }
        if let known = words[field] { return known }
        let found = QueryWords.of(text)
        words[field] = found
        return found
    }

    /// The elements of a field's list, in bytes of ``QueryKey``; nil for another value.
    mutating func elements(of value: WireValue, _ field: QueryField) -> Set<[UInt8]>? {
        if let known = elements[field] { return known }
        guard let list = value.elements else { return nil }
        let found = Set(list.map { QueryKey.bytes($0, limit: nil) })
        elements[field] = found
        return found
    }

    /// The value of a field in bytes of ``QueryKey``, whole. Small ones are made sooner than found.
    mutating func key(of value: WireValue, _ field: QueryField) -> [UInt8] {
        guard let text = value.text, text.utf8.count > Self.smallText else { return QueryKey.bytes(value, limit: nil) }
        if let known = keys[field] { return known }
        let key = QueryKey.bytes(value, limit: nil)
        keys[field] = key
        return key
    }

    private static let smallText = 256
}
