public import Foundation

/// Turns the values of a transformable attribute into bytes and back. Only types named by a model's transformers are
/// ever decoded.
public struct ValueTransformer: Sendable {
    /// The transformer's name, used by attributes.
    public let name: String
    /// Encodes a value; throws if the value is not of the transformer's type.
    public let encode: @Sendable (any Sendable) throws -> Data
    /// Decodes a value from its bytes.
    public let decode: @Sendable (Data) throws -> any Sendable

    /// Makes a transformer from two functions.
    public init(
        _ name: String, encode: @escaping @Sendable (any Sendable) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> any Sendable
    ) {
        self.name = name
        self.encode = encode
        self.decode = decode
    }

    /// Makes a transformer for a `Codable` type. It writes JSON with sorted keys, so equal values have equal bytes.
    public static func json<T: Codable & Sendable>(_ name: String, _ type: T.Type) -> ValueTransformer {
        ValueTransformer(name) { value in
            guard let value = value as? T else {
                throw BackstitchError(
                    .invalidValue, "transformer \"\(name)\" encodes \(T.self), not \(Swift.type(of: value))", key: name)
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try encoder.encode(value)
        } decode: { data in
            try JSONDecoder().decode(T.self, from: data)
        }
    }
}
