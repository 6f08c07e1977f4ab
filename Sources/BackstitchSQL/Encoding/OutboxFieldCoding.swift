package import Backstitch

/// The encoding of an outbox entry's fields and their bases. It is small and stable. It begins with a version, so that
/// a later version of the program can read the bytes of an earlier one.
package enum OutboxFieldCoding {
    /// The version of the form without digests, and that of the form with some.
    private static let version: UInt8 = 1, versionWithDigests: UInt8 = 2

    private enum BaseTag: UInt8 {
        case value = 0, links, digest
    }

    /// Encodes `fields` in their order. No fields give no bytes.
    package static func encode(_ fields: [OutboxEntry.Field]) -> [UInt8] {
        guard !fields.isEmpty else { return [] }
        var writer = ByteWriter()
        let hasDigests = fields.contains { if case .digest = $0.base { true } else { false } }
        writer.write(byte: hasDigests ? versionWithDigests : version)
        writer.write(unsigned: UInt64(fields.count))
        for field in fields {
            writer.write(text: field.name)
            writer.write(signed: field.sequence)
            switch field.base {
            case .value(let value):
                writer.write(byte: BaseTag.value.rawValue)
                writer.write(value)
            case .links(let keys):
                writer.write(byte: BaseTag.links.rawValue)
                writer.write(unsigned: UInt64(keys.count))
                for key in keys { writer.write(key: key) }
            case .digest(let bits):
                writer.write(byte: BaseTag.digest.rawValue)
                writer.write(fixed: bits)
            }
        }
        return writer.bytes
    }

    /// Decodes the result of ``encode(_:)``.
    ///
    /// - Throws: ``BackstitchError/Code/storeFailure`` when the bytes are damaged, ``BackstitchError/Code/newerFormat``
    ///   when a newer version wrote them.
    package static func decode(_ bytes: [UInt8]) throws(BackstitchError) -> [OutboxEntry.Field] {
        guard !bytes.isEmpty else { return [] }
        var reader = ByteReader(bytes)
        let found = try reader.readByte()
        guard (version...versionWithDigests).contains(found) else {
            throw BackstitchError(
                .newerFormat,
                "an outbox entry was written in form \(found), and this version reads forms up to "
                    + "\(versionWithDigests); update the program")
        }
        var fields: [OutboxEntry.Field] = []
        for _ in 0..<(try reader.readCount(ofSize: 4)) { fields.append(try field(from: &reader)) }
        guard reader.isAtEnd else { throw reader.damaged("bytes follow its end") }
        return fields
    }

    private static func field(from reader: inout ByteReader) throws(BackstitchError) -> OutboxEntry.Field {
        let name = try reader.readText()
        let sequence = try reader.readSigned()
        let tag = try reader.readByte()
        switch BaseTag(rawValue: tag) {
        case .value:
            return OutboxEntry.Field(name: name, sequence: sequence, base: .value(try reader.readValue()))
        case .links:
            var keys: [ObjectKey] = []
            for _ in 0..<(try reader.readCount(ofSize: 16)) { keys.append(try reader.readKey()) }
            return OutboxEntry.Field(name: name, sequence: sequence, base: .links(keys))
        case .digest: return OutboxEntry.Field(name: name, sequence: sequence, base: .digest(try reader.readFixed()))
        case nil: throw reader.damaged("no base begins with \(tag)")
        }
    }
}
