// Calls of Core Data that these objects do not have. The compiler names the call to use here.
extension ManagedObject {
    /// Replaced by the class of the request: `FetchRequest<Note>()`.
    @available(*, unavailable, message: "make the request by its class: FetchRequest<Note>()")
    public static func fetchRequest() -> FetchRequest<ManagedObject> { FetchRequest() }

    /// Core Data's name for ``value(forKey:)``, which calls no accessor either.
    @available(*, unavailable, renamed: "value(forKey:)")
    public final func primitiveValue(forKey key: String) -> Value { .null }

    /// Core Data's name for ``setValue(_:forKey:)``, which calls no accessor either.
    @available(*, unavailable, renamed: "setValue(_:forKey:)")
    public final func setPrimitiveValue(_ value: Value, forKey key: String) {}

    /// Not needed: each property tells its context.
    @available(*, unavailable, message: "not needed: reading a property fires its fault")
    public final func willAccessValue(forKey key: String?) {}

    /// Not needed: each property tells its context.
    @available(*, unavailable, message: "not needed: setting a property tells the context")
    public final func willChangeValue(forKey key: String) {}

    /// Not needed: each property tells its context.
    @available(*, unavailable, message: "not needed: setting a property tells the context")
    public final func didChangeValue(forKey key: String) {}

    /// Replaced by a property with the type of a set, and by ``add(_:to:)`` and ``remove(_:from:)``.
    @available(*, unavailable, message: "use a property of type Set<…>, or add(_:to:) and remove(_:from:)")
    public final func mutableSetValue(forKey key: String) -> Set<ManagedObject> { [] }
}
