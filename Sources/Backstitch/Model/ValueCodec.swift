public import Foundation

/// Turns the values of a transformable attribute into bytes and back. Only what a model's codecs name is ever decoded.
public struct ValueCodec: Sendable {
    /// The name that attributes refer to.
    public let name: String
    /// Bytes of a value; throws when the value is not of the codec's type.
    public let encode: @Sendable (any Sendable) throws -> Data
    /// The value of bytes.
    public let decode: @Sendable (Data) throws -> any Sendable

    /// A codec from two functions.
    public init(
        _ name: String, encode: @escaping @Sendable (any Sendable) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> any Sendable
    ) {
        self.name = name
        self.encode = encode
        self.decode = decode
    }

    /// A codec that writes a `Codable` type as JSON with sorted keys, so that equal values have equal bytes.
    public static func json<T: Codable & Sendable>(_ name: String, _ type: T.Type) -> ValueCodec {
        ValueCodec(name) { value in
            guard let value = value as? T else {
                throw BackstitchError(
                    .invalidValue, "codec \"\(name)\" encodes \(T.self), not \(Swift.type(of: value))", key: name)
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try encoder.encode(value)
        } decode: { data in
            try JSONDecoder().decode(T.self, from: data)
        }
    }
}
