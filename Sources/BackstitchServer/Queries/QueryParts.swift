import BackstitchSupport
import CloudWire

/// Values that the filters of a query have found in one record.
///
/// A text of a megabyte is split into words once, even if hundreds of filters ask for words.
struct QueryParts {
    private var words: [QueryField: Set<ByteText>] = [:]
    private var elements: [QueryField: Set<[UInt8]>] = [:]
    private var keys: [QueryField: [UInt8]] = [:]

    /// The words of a field's text; nil if it has no text.
    mutating func words(of value: WireValue, _ field: QueryField) -> Set<ByteText>? {
        guard let text = value.text else { return nil }
        if let known = words[field] { return known }
        let found = QueryWords.of(text)
        words[field] = found
        return found
    }

    /// The elements of a field's list, in bytes of ``QueryKey``; nil if it has no list.
    mutating func elements(of value: WireValue, _ field: QueryField) -> Set<[UInt8]>? {
        if let known = elements[field] { return known }
        guard let list = value.elements else { return nil }
        let found = Set(list.map { QueryKey.bytes($0, limit: nil) })
        elements[field] = found
        return found
    }

    /// The value of a field as whole bytes of ``QueryKey``. Small ones are not kept, because making them is quicker
    /// than finding them.
    mutating func key(of value: WireValue, _ field: QueryField) -> [UInt8] {
        guard let text = value.text, text.utf8.count > Self.smallText else { return QueryKey.bytes(value, limit: nil) }
        if let known = keys[field] { return known }
        let key = QueryKey.bytes(value, limit: nil)
        keys[field] = key
        return key
    }

    /// The size in bytes of a small text. The keys of larger ones are kept.
    private static let smallText = 256
}
