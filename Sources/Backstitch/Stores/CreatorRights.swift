import BackstitchSupport
package import Foundation

/// The rights of a user in a store of the public database, by entity and by the creator of an object.
///
/// A journal keeps them together with the creators (``JournalWriting/putCreators(_:)``), and saves check them.
public struct CreatorRights: Sendable, Hashable, Codable {
    /// The rights to the objects of an entity.
    public struct Rights: Sendable, Hashable, Codable {
        /// Whether the user may create objects.
        public var mayCreate: Bool
        /// Whether the user may change and delete objects that the user has created.
        public var mayChangeOwn: Bool
        /// Whether the user may change and delete objects that others have created.
        public var mayChangeOthers: Bool

        /// Creates rights. The defaults are those of CloudKit's public database: a user creates objects, and changes
        /// the objects that the user has created.
        public init(mayCreate: Bool = true, mayChangeOwn: Bool = true, mayChangeOthers: Bool = false) {
            self.mayCreate = mayCreate
            self.mayChangeOwn = mayChangeOwn
            self.mayChangeOthers = mayChangeOthers
        }
    }

    /// The user's record name; nil if it is unknown. No object is then known as another user's.
    public var user: String?
    /// The rights to entities without rights of their own.
    public var standard: Rights
    /// The rights by the names of entities.
    public var entities: [String: Rights]

    /// Creates the rights of a user.
    public init(user: String?, standard: Rights = Rights(), entities: [String: Rights] = [:]) {
        self.user = user
        self.standard = standard
        self.entities = entities
    }

    /// The rights to the objects of an entity.
    public subscript(entityName: String) -> Rights { entities[entityName] ?? standard }
}

extension CreatorRights {
    /// The knowledge of an object's record on the server.
    package enum Record: Sendable, Hashable {
        /// The server has no record, as far as this store knows: the object was never sent.
        case missing
        /// The server has the record; its creator is nil if it was read before creators were noted, or was sent by this
        /// store.
        case created(by: String?)

        /// Reads the knowledge from the record's creator and state.
        package init(creator: String?, state: RecordState?) {
            let isKnown = creator != nil || state?.changeTag != nil
            self = isKnown ? .created(by: creator) : .missing
        }
    }

    /// Whether the user may change an object. An object that was never sent needs the right to create only.
    package func mayChange(_ entityName: String, _ record: Record) -> Bool {
        switch record {
        case .missing: self[entityName].mayCreate
        case .created(let creator) where isOther(creator): self[entityName].mayChangeOthers
        case .created: self[entityName].mayChangeOwn
        }
    }

    /// Whether the user may delete an object. An object that was never sent needs no right.
    package func mayDelete(_ entityName: String, _ record: Record) -> Bool {
        record == .missing || mayChange(entityName, record)
    }

    /// Whether a creator is known to be another user.
    package func isOther(_ creator: String?) -> Bool {
        guard let creator, let user else { return false }
        return !creator.isSame(as: user)
    }
}

extension CreatorRights {
    /// Reads the bytes of ``storedForm``.
    package init(storedForm: Data) throws { self = try JSONDecoder().decode(Self.self, from: storedForm) }

    /// JSON with sorted keys.
    package var storedForm: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(self)
        }
    }
}
