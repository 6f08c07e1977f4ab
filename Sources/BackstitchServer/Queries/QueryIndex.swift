import BackstitchSupport
import CloudWire

/// The index of a zone for one shape of query. It puts the records of one type in the order of the query.
///
/// An entry is the bytes of some fields of a record (``QueryKey``), one after the other. First are the fields with a
/// fixed value in the query, then the fields to sort by. So an answer is one piece of the index in the right order. It
/// needs neither a scan nor a sort, and continuing after a marker is one look-up. Indexes of the database cannot do
/// this, because records of one type may have any fields of any types.
///
/// An index is made when the first query needs it. Each change of the zone updates it in the same transaction. It is
/// removed when no query has used it for a long time. So zones without queries, like most synced ones, never pay for
/// it.
struct QueryIndex: Hashable, Sendable {
    /// The part of a field in an index.
    enum Part: Character, Sendable {
        case value = "v"
        /// Each element of a list has an entry.
        case elements = "e"
        /// Each word of a text has an entry.
        case words = "w"
    }

    /// One field of an index, with its part and its direction.
    struct Component: Hashable, Sendable {
        var field: QueryField
        var part = Part.value
        /// Whether great values come first.
        var isInverted = false
    }

    let type: String
    let components: [Component]

    init(type: String, components: [Component]) {
        self.type = type
        self.components = components
    }

    /// Reads the components written by ``text``; nil for any other text.
    init?(type: String, text: String) {
        var components: [Component] = []
        for item in text.split(atByte: UInt8(ascii: ",")) {
            guard item.count > 2, let part = Part(rawValue: item[item.index(after: item.startIndex)]) else {
                return nil
            }
            components.append(
                Component(
                    field: QueryField(known: String(item.dropFirst(2))), part: part, isInverted: item.first == "-"))
        }
        self.init(type: type, components: components)
    }

    /// The components as text, for the table of indexes.
    var text: String {
        components.map { "\($0.isInverted ? "-" : "+")\($0.part.rawValue)\($0.field.name)" }.joined(separator: ",")
    }

    /// Whether a record may have several entries. They may lie in the same range.
    var hasParts: Bool { components.contains { $0.part != .value } }

    /// Whether entries depend on the app's own fields.
    var needsFields: Bool { components.contains { !$0.field.isSystem } }

    /// The elements and words of a record's fields, for several indexes. They are found once, because a large text
    /// takes time.
    typealias KnownParts = [Component: [[UInt8]]]

    /// The entries of a record, as keys of the index.
    func keys(of record: StoredRecord, _ fields: [String: WireValue?]) -> [[UInt8]] {
        var parts = KnownParts()
        return keys(of: record, fields, &parts)
    }

    /// The same, with the parts that other indexes have already found.
    func keys(of record: StoredRecord, _ fields: [String: WireValue?], _ known: inout KnownParts) -> [[UInt8]] {
        guard !components.isEmpty else { return [Self.onlyKey] }
        return components.reduce([[]]) { keys, component in
            let parts = component.bytes(record, fields, &known)
            return keys.flatMap { key in parts.map { key + $0 } }
        }
    }

    /// The key of every record in an index without fields.
    private static let onlyKey: [UInt8] = [0x01]
}

extension QueryIndex.Component {
    /// The bytes of a record's entries for this component.
    fileprivate func bytes(
        _ record: StoredRecord, _ fields: [String: WireValue?], _ known: inout QueryIndex.KnownParts
    ) -> [[UInt8]] {
        if part == .value {
            let bytes = QueryKey.bytes(field.value(record, fields))
            return [isInverted ? bytes.map(~) : bytes]
        }
        if let parts = known[self] { return parts }
        let parts = severalBytes(field.value(record, fields))
        known[self] = parts
        return parts
    }

    /// The bytes of the elements of a list, or of the words of a text.
    private func severalBytes(_ value: WireValue?) -> [[UInt8]] {
        if part != .value, Self.isLarge(value) { return kept(nil) }
        let parts: Set<[UInt8]> =
            switch part {
            case .value: [QueryKey.bytes(value)]
            case .elements: Set((value?.elements ?? []).map { QueryKey.bytes($0) })
            case .words:
                Set(
                    (value?.text.map { QueryWords.of($0, upTo: QueryLimits.parts + 1) } ?? []).map {
                        QueryKey.bytes(.string($0.string))
                    })
            }
        return kept(parts)
    }

    /// The parts, or a single mark if there are too many.
    private func kept(_ parts: Set<[UInt8]>?) -> [[UInt8]] {
        let kept =
            if let parts, parts.count <= QueryLimits.parts { Array(parts) } else {
                [[QueryKey.Kind.tooMany.rawValue]]
            }
        return isInverted ? kept.map { $0.map(~) } : kept
    }

    /// Whether a value is too large to be split for an index. Others wait to write meanwhile.
    private static func isLarge(_ value: WireValue?) -> Bool {
        switch value {
        case .string(let text): text.utf8.count > QueryLimits.bytesOfParts
        case let value?: value.elementCount > QueryLimits.partsToLookAt
        case nil: false
        }
    }
}
