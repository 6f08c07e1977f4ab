import BackstitchSupport
import Foundation

/// The attributes that identify an entity's objects: objects with equal values are one object on every device. See
/// ``EntityDescription/identified(by:namespace:)``.
struct NaturalKey: Hashable, Sendable {
    /// Names of the attributes, in the order of their values in the key.
    var attributes: [String]
    /// The longest identifying text in bytes: normalising a text may cost the square of its length.
    static let longestText = 4_096
    /// Keeps equal values of different entities apart.
    var namespace: String

    /// Computes the key of the object with these values, in the order of the attributes; none of them is null.
    ///
    /// The key is a UUID of version 8 (RFC 9562 §5.8), made from the SHA-256 digest of the namespace and the values. It
    /// has the first 16 bytes of the digest, except for the six bits of version and variant. Each part is hashed as the
    /// number of its bytes (eight, big-endian), then the bytes. Text is UTF-8 in normalization form C. Integers are
    /// eight bytes, and dates are eight bytes of milliseconds since 1970 (both big-endian). Truth values are one byte,
    /// UUIDs 16.
    func key(of values: [Value]) -> ObjectKey {
        var hash = SHA256()
        for part in [Value.string(namespace)] + values {
            let bytes = part.identifyingBytes
            hash.update(data: UInt64(bytes.count).bigEndianBytes)
            hash.update(data: bytes)
        }
        let digest = hash.finalize().withUnsafeBytes { ObjectKey(bigEndianBytes: $0) }
        return ObjectKey(
            high: digest.high & ~0xF000 | 0x8000, low: digest.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}

extension Value {
    /// The bytes of a value for the digest of a natural key.
    fileprivate var identifyingBytes: [UInt8] {
        switch self {
        case .string(let text): Array(text.precomposedStringWithCanonicalMapping.utf8)
        case .int(let number): UInt64(bitPattern: number).bigEndianBytes
        case .date(let date): UInt64(bitPattern: date.milliseconds).bigEndianBytes
        case .bool(let flag): [flag ? 1 : 0]
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Array($0) }
        default: []
        }
    }
}

extension ObjectKey {
    /// Whether the key was made from values, as a UUID of version 8, and not by a generator.
    package var isMadeOfValues: Bool { high >> 12 & 0xF == 8 }
}

extension AttributeType {
    /// Whether values of this type can identify objects: equal values have equal bytes.
    fileprivate var identifies: Bool {
        switch self {
        case .string, .integer16, .integer32, .integer64, .date, .boolean, .uuid: true
        default: false
        }
    }
}

extension EntityDescription {
    /// The entity, with its objects identified by the values of attributes. If two devices make objects with equal
    /// values, online or not, both are one object with one identity.
    ///
    /// ```swift
    /// EntityDescription("Book", class: Book.self, [.attribute("isbn", .string), .attribute("title", .string)])
    ///     .identified(by: "isbn")
    ///
    /// let key: [String: Value] = ["isbn": "978-0-14-044913-6"]
    /// let book = try context.object(entityName: "Book", identifiedBy: key)
    ///     ?? context.insertObject(entityName: "Book", identifiedBy: key)
    /// ```
    /// An object gets its identity when it is made, and keeps it. So it is made with these values: by
    /// ``ManagedObjectContext/insertObject(entityName:identifiedBy:)``, ``ManagedObject/init(context:identifiedBy:)``,
    /// or a ``BatchInsertRequest`` with them. The values never change afterwards: a save that would change them throws.
    /// If two devices have made the object, its other values merge as any edits do. Objects older than the natural key
    /// keep their identities.
    ///
    /// Texts are equal here if Swift takes them as equal: their characters count, not their encoding.
    ///
    /// - Parameter attributes: Attributes of the entity, declared or inherited, of the types string, integer, date,
    ///   boolean or UUID. The natural key holds for subentities too: their objects share the identities.
    /// - Parameter namespace: Keeps equal values of different entities apart. The default is the entity's name. After
    ///   the entity is renamed, give the former name, since the identities were made with it.
    ///
    /// These are faults of the model:
    /// - attributes that the entity does not have, or of other types;
    /// - transient, derived or encrypted attributes, and attributes that are not synced both ways;
    /// - a second natural key in a subentity;
    /// - one namespace for two entities.
    public func identified(by attributes: String..., namespace: String? = nil) -> EntityDescription {
        var entity = self
        entity.naturalKey = NaturalKey(attributes: attributes, namespace: namespace ?? name)
        return entity
    }
}

extension ManagedObjectModel {
    /// Returns the faults of an entity's natural key.
    func naturalKeyFaults(of entity: EntityDescription) -> [BackstitchError] {
        guard let naturalKey = entity.naturalKey else { return [] }
        let family = withAncestors(entity)
        let path = "\(entity.name)(\(naturalKey.attributes.joined(separator: ", ")))"
        var reasons = naturalKey.attributes.compactMap { reason(against: $0, in: family) }
        if naturalKey.attributes.isEmpty { reasons.append("names no attribute") }
        if Set(naturalKey.attributes).count < naturalKey.attributes.count {
            reasons.append("names an attribute twice")
        }
        if naturalKey.namespace.isEmpty { reasons.append("has an empty namespace") }
        let before = entities.prefix { $0.name != entity.name }
        if let other = before.first(where: { $0.naturalKey?.namespace == naturalKey.namespace }) {
            reasons.append(
                "has the namespace \"\(naturalKey.namespace)\", which \(other.name) uses too: equal values would "
                    + "give two objects one identity; give each entity a namespace of its own")
        }
        if let above = family.dropFirst().first(where: { $0.naturalKey != nil }) {
            reasons.append(
                "repeats the one of \(above.name), which \(entity.name) inherits; leave out one of them")
        }
        return reasons.map { BackstitchError(.invalidModel, "the natural key \(path) \($0)", key: path) }
    }

    private func reason(against name: String, in family: [EntityDescription]) -> String? {
        guard let attribute = family.lazy.flatMap(\.attributes).first(where: { $0.name == name }) else {
            return "names \(name), which is not an attribute of the entity"
        }
        if !attribute.type.identifies {
            return "names \(name), which is \(attribute.type): a string, integer, date, boolean or UUID identifies"
        }
        if attribute.isTransient || attribute.derivation != nil {
            return "names \(name), which cannot be set permanently: it is transient or derived"
        }
        if attribute.isEncrypted {
            return "names \(name), which is encrypted: the name of its record would reveal the value"
        }
        if attribute.syncDirection != .both {
            return "names \(name), which does not sync in both directions, as an identifying attribute must"
        }
        return nil
    }
}
