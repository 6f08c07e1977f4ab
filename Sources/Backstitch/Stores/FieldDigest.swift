import BackstitchSupport
import Foundation

/// A short digest of a property's content. It identifies the content where the content itself is not kept.
package struct FieldDigest: Hashable, Sendable {
    /// The first eight bytes of the content's SHA-256, big-endian.
    package let bits: UInt64

    /// Makes the digest with these bits.
    package init(bits: UInt64) { self.bits = bits }

    /// Computes the digest of a property's content.
    package init(_ content: OutboxEntry.Base) {
        var hash = SHA256()
        switch content {
        case .digest(let bits):
            self.bits = bits
            return
        case .value(let value): Self.feed(value, to: &hash)
        case .links(let keys):
            hash.update(data: [20])
            for key in keys { key.withBytes { hash.update(bufferPointer: $0) } }
        }
        bits = hash.finalize().withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    private static func feed(_ value: Value, to hash: inout SHA256) {
        switch value {
        case .null: hash.update(data: [0])
        case .bool(let value): hash.update(data: [1, value ? 1 : 0])
        case .int(let value): feed(2, UInt64(bitPattern: value), to: &hash)
        case .double(let value): feed(3, (value == 0 ? 0 : value).bitPattern, to: &hash)
        case .decimal(let value): feed(4, value.canonicalText, to: &hash)
        case .string(let value): feed(5, value, to: &hash)
        case .date(let value): feed(6, UInt64(bitPattern: value.milliseconds), to: &hash)
        case .data(let value):
            hash.update(data: [7])
            hash.update(data: value)
        case .uuid(let value): feed(8, ObjectKey(value).uuidString, to: &hash)
        case .uri(let value): feed(9, value.absoluteString, to: &hash)
        case .asset(let value): feed(10, value.text, to: &hash)
        case .file(let value): feed(10, value.reference.text, to: &hash)
        case .object(let value): feed(11, value.key.uuidString, to: &hash)
        }
    }

    private static func feed(_ tag: UInt8, _ text: String, to hash: inout SHA256) {
        hash.update(data: [tag])
        hash.update(data: Array(text.utf8))
    }

    private static func feed(_ tag: UInt8, _ number: UInt64, to hash: inout SHA256) {
        hash.update(data: [tag])
        withUnsafeBytes(of: number.bigEndian) { hash.update(bufferPointer: $0) }
    }
}

extension OutboxEntry.Base {
    /// The digest of the content, as a base; a digest stays itself.
    ///
    /// - Complexity: O(bytes of the content).
    public var digested: OutboxEntry.Base { .digest(FieldDigest(self).bits) }
}

extension OutboxEntry {
    /// Makes the entry of a deleted object.
    ///
    /// - Parameter content: The object before its deletion, by the names of its properties; empty if it is unknown.
    /// - Parameter existing: The object's earlier entry with unsent changes. Its bases are the server's values.
    package static func deletion(
        of objectID: ObjectID, sequence: Int64, content: [(name: String, base: Base)], existing: OutboxEntry?
    ) -> OutboxEntry {
        let known = Dictionary(existing?.fields.map { ($0.name, $0.base) } ?? [], uniquingKeysWith: { $1 })
        let fields = content.map {
            Field(name: $0.name, sequence: sequence, base: (known[$0.name] ?? $0.base).digested)
        }
        return OutboxEntry(
            objectID: objectID, kind: .delete, sequence: sequence, firstSequence: existing?.firstSequence ?? sequence,
            fields: fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }
}
