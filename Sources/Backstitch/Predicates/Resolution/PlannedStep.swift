/// A step of a path.
package struct PlannedStep: Sendable {
    /// The entity that the property is of.
    package let entity: ResolvedEntity
    /// The property.
    package let property: ResolvedProperty
    /// The entity that a relationship leads to.
    package let destination: ResolvedEntity?
    /// Whether it leads to any number of objects.
    package var isToMany: Bool { property.relationship?.isToMany ?? false }
}
