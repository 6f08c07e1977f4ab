/// Added and removed links of one many-to-many relationship.
public struct LinkChange: Sendable {
    /// A link from an object of the owning entity to one of the destination.
    public struct Link: Hashable, Sendable {
        /// The object at the owning side.
        public let source: ObjectKey
        /// The object at the other side.
        public let target: ObjectKey

        /// Makes a link from `source` to `target`.
        public init(source: ObjectKey, target: ObjectKey) {
            self.source = source
            self.target = target
        }
    }

    /// The entity that owns the relationship.
    public let entity: ResolvedEntity
    /// The relationship, stored as ``ResolvedRelationship/Storage/ownedLinks``.
    public let property: ResolvedProperty
    /// Links to add. An existing link is no error.
    public var added: [Link]
    /// Links to remove. A missing link is no error.
    public var removed: [Link]

    /// Makes a change of the links of `property`.
    public init(entity: ResolvedEntity, property: ResolvedProperty, added: [Link] = [], removed: [Link] = []) {
        self.entity = entity
        self.property = property
        self.added = added
        self.removed = removed
    }
}
