import Backstitch
import BackstitchSQL
import CLibPQ
import Foundation

/// The parameters of one run of a statement in binary form, each with its type.
struct StatementParameters: ~Copyable {
    private(set) var types: [PostgreSQLType] = []
    private var spans: [(start: Int, count: Int32)] = []
    private var buffer: WireBuffer

    init(capacity: Int = 256) { buffer = WireBuffer(capacity: capacity) }

    /// The bytes of all parameters so far.
    var byteCount: Int { buffer.count }

    /// Adds a parameter. `body` writes its bytes.
    mutating func append<Failure: Error>(
        _ type: PostgreSQLType, _ body: (inout WireBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        let start = buffer.count
        try body(&buffer)
        types.append(type)
        spans.append((start, Int32(truncatingIfNeeded: buffer.count - start)))
    }

    /// Adds a null of a type.
    mutating func appendNull(_ type: PostgreSQLType = .unspecified) {
        types.append(type)
        spans.append((0, -1))
    }

    mutating func append(_ number: Int64) { append(.bigint) { $0.write(number) } }

    mutating func append(_ flag: Bool) { append(.boolean) { $0.write(UInt8(flag ? 1 : 0)) } }

    mutating func append(_ key: ObjectKey) {
        append(.uuid) {
            $0.write(key.high)
            $0.write(key.low)
        }
    }

    /// Adds a text as a parameter.
    ///
    /// - Throws: ``BackstitchError/Code/invalidValue`` when it has a NUL character, because PostgreSQL cannot store
    ///   one.
    mutating func append(_ text: String) throws {
        var text = text
        try append(.text) { buffer in
            try text.withUTF8 { bytes in
                guard !bytes.contains(0) else { throw BackstitchError.nulCharacter(in: nil) }
                buffer.write(UnsafeRawBufferPointer(bytes))
            }
        }
    }

    /// Adds bytes as a parameter of type `bytea`.
    mutating func append(_ bytes: some ContiguousBytes) {
        append(.bytes) { buffer in bytes.withUnsafeBytes { buffer.write($0) } }
    }

    /// Adds keys as one array.
    mutating func append(_ keys: [ObjectKey]) {
        append(PostgreSQLType.uuid.array) { buffer in
            var writer = ArrayWriter(.uuid, to: &buffer)
            for key in keys { writer.append(key, to: &buffer) }
            writer.finish(&buffer)
        }
    }

    /// Runs `body` with the values for the client library: count, types, values, lengths and formats. The pointers are
    /// valid only during the call.
    func withPointers<Result>(
        _ body: (Int32, [Oid], [UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        let base = buffer.bytes.baseAddress
        let values = spans.map { span in
            span.count < 0 ? nil : base.map { ($0 + span.start).assumingMemoryBound(to: CChar.self) }
        }
        return body(
            Int32(spans.count), types.map(\.oid), values, spans.map { max(0, $0.count) },
            Array(repeating: 1, count: spans.count))
    }
}

extension StatementParameters {
    /// Adds a parameter of a statement in binary form.
    mutating func append(_ parameter: SQLParameter) throws {
        switch parameter {
        case .key(let key): append(key)
        case .keys(let keys): append(keys)
        case .value(let value): try append(value)
        }
    }

    /// Adds a value in the binary form of its type.
    mutating func append(_ value: Value) throws {
        switch value {
        case .null: appendNull()
        case .bool(let value): append(value)
        case .int(let value): append(value)
        case .double(let value): append(.double) { $0.write(value.bitPattern) }
        case .decimal(let value): append(.numeric) { NumericCoding.write(value.canonicalText.utf8, to: &$0) }
        case .string(let value): try append(value)
        case .date(let value): append(value.milliseconds)
        case .data(let value): append(value)
        case .uuid(let value): append(ObjectKey(value))
        case .uri(let value): try append(value.absoluteString)
        case .asset(let value): try append(value.text)
        case .file(let value): try append(value.reference.text)
        case .object(let value): append(value.key)
        }
    }
}

extension BackstitchError {
    /// The error for a text that PostgreSQL cannot store.
    static func nulCharacter(in place: (id: ObjectID, key: String)?) -> BackstitchError {
        let subject = place.map { "\($0.id).\($0.key)" } ?? "a text"
        return BackstitchError(
            .invalidValue,
            "\(subject) has a NUL character (U+0000), which PostgreSQL cannot store in a text; remove it, or "
                + "keep the value as binary",
            objectID: place?.id, key: place?.key)
    }
}
