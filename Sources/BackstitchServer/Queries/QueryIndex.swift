import BackstitchSupport
import CloudWire

/// The index of a zone that serves one shape of query: which of the records of a type come in which order.
///
/// An entry is made for each record, with the bytes of some of its fields (``QueryKey``) one behind the other. First
/// come fields that a query fixes, then those by which it sorts, so that its answer stands in one piece, in order:
/// neither a scan nor a sort is needed, and going on after a marker is one look-up. Fields of a database's own could
/// not do that, as records of one type may have any fields, of any types.
///
/// An index is made when the first query needs it, and kept up by each change of the zone in the same transaction; it
/// goes when no query has used it for long. So zones that are only followed, as synced ones are, never pay for it.
struct QueryIndex: Hashable, Sendable {
    /// The part of a field that goes into an index.
    enum Part: Character, Sendable {
        case value = "v"
        /// Each element of a list makes an entry.
        case elements = "e"
        /// Each word of a text makes an entry.
        case words = "w"
    }

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

    /// Reads what ``text`` has written; nil for anything else.
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

    /// The components as they are stored.
    var text: String {
        components.map { "\($0.isInverted ? "-" : "+")\($0.part.rawValue)\($0.field.name)" }.joined(separator: ",")
    }

    /// Whether a record may have several entries, at places that one range may hold.
    var hasParts: Bool { components.contains { $0.part != .value } }

    /// Whether entries depend on the app's own fields.
    var needsFields: Bool { components.contains { !$0.field.isSystem } }

    /// The parts of a record's fields that several indexes have: found once, a large text takes time.
    typealias KnownParts = [Component: [[UInt8]]]

    /// The entries of a record.
    func keys(of record: StoredRecord, _ fields: [String: WireValue?]) -> [[UInt8]] {
        var parts = KnownParts()
        return keys(of: record, fields, &parts)
    }

    /// The same, with what other indexes have found of the record.
    func keys(of record: StoredRecord, _ fields: [String: WireValue?], _ known: inout KnownParts) -> [[UInt8]] {
        guard !components.isEmpty else { return [Self.onlyKey] }
        return components.reduce([[]]) { keys, component in
            let parts = component.bytes(record, fields, &known)
            return keys.flatMap { key in parts.map { key + $0 } }
        }
    }

    /// The key of all records in an index that is by type alone.
    private static let onlyKey: [UInt8] = [0x01]
}

extension QueryIndex.Component {
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

    private func kept(_ parts: Set<[UInt8]>?) -> [[UInt8]] {
        let kept =
            if let parts, parts.count <= QueryLimits.parts { Array(parts) } else {
                [[QueryKey.Kind.tooMany.rawValue]]
            }
        return isInverted ? kept.map { $0.map(~) } : kept
    }

    /// Whether a value is larger than what an index takes apart: it is made while others wait to write.
    private static func isLarge(_ value: WireValue?) -> Bool {
        switch value {
        case .string(let text): text.utf8.count > QueryLimits.bytesOfParts
        case let value?: value.elementCount > QueryLimits.partsToLookAt
        case nil: false
        }
    }
}
