public import Foundation

/// The identity of an object: its entity and its key. It is permanent from the object's creation on, and the same on
/// every device, in every store and on the server.
public struct ObjectID: Hashable, Sendable {
    /// The name of the object's entity.
    public let entityName: String
    /// The key, unique across all entities.
    public let key: ObjectKey

    /// Makes the identity of the object of `entityName` with `key`.
    public init(entityName: String, key: ObjectKey) {
        self.entityName = entityName
        self.key = key
    }

    /// The identity as a URI, `backstitch:///Note/0190…`. ``init(uriRepresentation:)`` reads it back.
    public var uriRepresentation: URL {
        var components = URLComponents()
        components.scheme = "backstitch"
        components.host = ""
        components.path = "/\(entityName)/\(key.uuidString)"
        return components.url ?? URL(fileURLWithPath: components.path)
    }

    /// Reads the identity from a ``uriRepresentation``; nil for any other URI.
    public init?(uriRepresentation uri: URL) {
        let parts = uri.path.split(separator: "/")
        guard uri.scheme == "backstitch", parts.count == 2, let key = ObjectKey(uuidString: String(parts[1])) else {
            return nil
        }
        self.init(entityName: String(parts[0]), key: key)
    }

    /// Hashes the key alone, since it is unique.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// Whether both entity name and key are equal.
    public static func == (left: ObjectID, right: ObjectID) -> Bool {
        left.key == right.key && left.entityName == right.entityName
    }
}

extension ObjectID: Comparable {
    /// Orders by key, then by entity name.
    public static func < (left: ObjectID, right: ObjectID) -> Bool {
        left.key == right.key
            ? left.entityName.utf8.lexicographicallyPrecedes(right.entityName.utf8) : left.key < right.key
    }
}

extension ObjectID: CustomStringConvertible {
    /// The entity and key, for example `Note/0190…`.
    public var description: String { "\(entityName)/\(key.uuidString)" }
}

extension ObjectID: Codable {
    /// Decodes the text written by ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let parts = text.split(separator: "/")
        guard parts.count == 2, let key = ObjectKey(uuidString: String(parts[1])) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\"\(text)\" is not an object id (Entity/UUID)")
            )
        }
        self.init(entityName: String(parts[0]), key: key)
    }

    /// Encodes the text `Entity/UUID`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
