/// A path with resolved properties.
package struct PlannedPath: Sendable {
    /// The beginning of the path.
    package let root: FetchKeyPath.Root
    /// The entity of the object at its beginning.
    package let rootEntity: ResolvedEntity
    /// The properties of the path, in order.
    package let steps: [PlannedStep]
    /// The kind of the value at its end.
    package let kind: PlannedKind

    /// Whether it leads through a to-many relationship, or ends at one.
    package var isToMany: Bool { steps.contains(where: \.isToMany) }
    /// The attribute at its end, if there is one.
    package var attribute: AttributeDescription? { steps.last?.property.attribute }
}
