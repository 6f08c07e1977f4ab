/// A path with its properties found.
package struct PlannedPath: Sendable {
    /// Where it begins.
    package let root: FetchKeyPath.Root
    /// The entity of the object that it begins at.
    package let rootEntity: ResolvedEntity
    /// The properties, in order.
    package let steps: [PlannedStep]
    /// The kind of the value at its end.
    package let kind: PlannedKind

    /// Whether it goes through, or ends at, a to-many relationship.
    package var isToMany: Bool { steps.contains(where: \.isToMany) }
    /// The attribute at its end, if there is one.
    package var attribute: AttributeDescription? { steps.last?.property.attribute }
}
