/// Keeps a stored property of an ``Entity(_:)`` class out of the model. It lives in memory with its object, and no save
/// writes it.
///
/// ```swift
/// @Entity final class Note: ManagedObject {
///     @Attribute var title: String = ""
///     @Transient var isSelected = false
/// }
/// ```
/// The macro generates no code. A stored `var` without ``Attribute(_:)``, ``Relationship(inverse:delete:optional:)`` or
/// this macro is a warning, since its value is lost when the object leaves memory.
@attached(peer)
public macro Transient() = #externalMacro(module: "BackstitchMacroPlugin", type: "TransientMacro")
