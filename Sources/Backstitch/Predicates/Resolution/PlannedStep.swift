/// One property of a path.
package struct PlannedStep: Sendable {
    /// The entity that has the property.
    package let entity: ResolvedEntity
    /// The resolved property of the step.
    package let property: ResolvedProperty
    /// The entity at the other end of a relationship; nil for an attribute.
    package let destination: ResolvedEntity?
    /// Whether it leads to any number of objects.
    package var isToMany: Bool { property.relationship?.isToMany ?? false }
}
